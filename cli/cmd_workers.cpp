// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

struct Listed {
  WorkerInfo worker;
  std::vector<TrialId> running;
};

Result<std::vector<Listed>> list_workers(const std::string& argument, double& now) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return study.error();
  const Result<std::vector<WorkerInfo>> workers = study->storage->load_workers();
  if (!workers) return workers.error();
  const Result<std::vector<Trial>> running = study->storage->load_running();
  if (!running) return running.error();
  const Result<double> clock = study->storage->now();
  if (!clock) return clock.error();
  now = *clock;
  std::map<std::string, std::vector<TrialId>> by_name;
  for (const Trial& trial : *running) by_name[trial.worker].push_back(trial.id);
  std::vector<Listed> list;
  for (const WorkerInfo& worker : *workers) list.push_back({worker, by_name[worker.name]});
  return list;
}

Json workers_json(const std::vector<Listed>& list, double now) {
  Json json = Json::array();
  for (const Listed& entry : list) {
    const WorkerInfo& worker = entry.worker;
    json.push_back({{"name", worker.name},
                    {"host", worker.host},
                    {"alive", worker.alive},
                    {"slots", worker.slots},
                    {"running", entry.running},
                    {"completed", worker.completed},
                    {"started_at", worker.started_at},
                    {"seen_at", worker.seen_at},
                    {"silent_seconds", std::max(0.0, now - worker.seen_at)}});
  }
  return json;
}

std::string text_of(const std::vector<Listed>& list, double now, const Console& console) {
  if (list.empty()) return "nobody works on this study\n";
  std::size_t width = 6;
  for (const Listed& entry : list) width = std::max(width, one_line(entry.worker.name).size());
  std::string text = fmt::format("{:<{}}  {:<5}  {:>9}  {:>12}  {}\n", "worker", width, "state",
                                 "evaluated", "last sign", "running");
  for (const Listed& entry : list) {
    const WorkerInfo& worker = entry.worker;
    constexpr std::size_t kShown = 8;
    std::string running = fmt::format("{} of {}", entry.running.size(), worker.slots);
    for (std::size_t i = 0; i < std::min(kShown, entry.running.size()); ++i) {
      running += (i == 0 ? ": " : ", ") + std::to_string(entry.running[i]);
    }
    if (entry.running.size() > kShown) running += ", ...";
    text += fmt::format("{:<{}}  ", one_line(worker.name), width) +
            console.paint(1, worker.alive ? Style::good : Style::bad,
                          worker.alive ? "alive" : "lost ") +
            fmt::format("  {:>9}  {:>8} ago  {}\n", worker.completed,
                        duration_text(now - worker.seen_at), running);
  }
  return text;
}

}  // namespace

Action define_workers(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--json", *json, "Print JSON");
  return [study, json, &console] {
    double now = 0.0;
    const Result<std::vector<Listed>> list = list_workers(*study, now);
    if (!list) return fail(list.error());
    if (*json) {
      print_json(workers_json(*list, now));
    } else {
      print_out(text_of(*list, now, console));
    }
    return int{kDone};
  };
}

}  // namespace vbo::cli

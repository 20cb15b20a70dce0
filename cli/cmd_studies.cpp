// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "vbo/storage.hpp"

namespace vbo::cli {
namespace {

struct ListedStudy {
  std::string storage;
  std::string problem;  // why nothing else is known; empty when all is well
  StudyRecord record;
  TrialCounts counts;
};

ListedStudy look_at_study(const std::string& url) {
  ListedStudy entry{.storage = url};
  const auto failed = [&](const Error& error) {
    entry.problem = error.message;
    return entry;
  };
  const auto storage = open_storage(url, Access::read);
  if (!storage) return failed(storage.error());
  Result<std::optional<StudyRecord>> record = (*storage)->load_study();
  if (!record) return failed(record.error());
  if (!*record) return failed({ErrorKind::not_found, "it holds no study yet"});
  const Result<TrialCounts> counts = (*storage)->counts();
  if (!counts) return failed(counts.error());
  entry.record = std::move(**record);
  entry.counts = *counts;
  return entry;
}

Json studies_json(const std::vector<ListedStudy>& list) {
  Json json = Json::array();
  for (const ListedStudy& entry : list) {
    if (!entry.problem.empty()) {
      json.push_back({{"storage", entry.storage}, {"error", entry.problem}});
      continue;
    }
    json.push_back({{"study", entry.record.name},
                    {"method", entry.record.optimizer.method},
                    {"completed", entry.counts.completed},
                    {"failed", entry.counts.failed},
                    {"running", entry.counts.running},
                    {"waiting", entry.counts.waiting},
                    {"budget", entry.record.budget},
                    {"storage", entry.storage}});
  }
  return json;
}

std::string studies_text(const std::vector<ListedStudy>& list) {
  std::size_t name = 5, method = 6;
  for (const ListedStudy& entry : list) {
    name = std::max(name, one_line(entry.record.name).size());
    method = std::max(method, one_line(entry.record.optimizer.method).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>15}  {:>7}  {:>7}  storage\n", "study", name,
                                 "method", method, "evaluated", "failed", "running");
  for (const ListedStudy& entry : list) {
    if (!entry.problem.empty()) {
      text += one_line(entry.storage + ": " + entry.problem) + "\n";
      continue;
    }
    const TrialCounts& counts = entry.counts;
    text += fmt::format("{:<{}}  {:<{}}  {:>15}  {:>7}  {:>7}  {}\n", one_line(entry.record.name),
                        name, one_line(entry.record.optimizer.method), method,
                        fmt::format("{}/{}", counts.ended(), entry.record.budget), counts.failed,
                        counts.running, one_line(entry.storage));
  }
  return text;
}

}  // namespace

Action define_studies(CLI::App& app, const Console&) {
  auto database = std::make_shared<std::string>(".");
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.optional_positional(
      "DATABASE", *database,
      "A PostgreSQL database (postgresql://user@host/database), a folder, or a "
      "storage (.db)");
  arguments.flag("--json", *json, "Print JSON");
  return [database, json] {
    const Result<std::vector<std::string>> urls = list_studies(*database);
    if (!urls) return fail(urls.error());
    std::vector<ListedStudy> list;
    for (const std::string& url : *urls) list.push_back(look_at_study(url));
    if (*json) {
      print_json(studies_json(list));
    } else {
      print_out(list.empty() ? "no studies\n" : studies_text(list));
    }
    return int{kDone};
  };
}

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
// MLflow's file store: a folder per experiment and per run, with a meta.yaml in each and one file
// per parameter, metric and tag.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "cli/export.hpp"
#include "cli/trial_json.hpp"
#include "core/checksum.hpp"
#include "core/json.hpp"

namespace vbo::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFinished = 3;  // of MLflow's RunStatus
constexpr int kFailed = 4;

std::int64_t milliseconds(double seconds) { return std::llround(seconds * 1000.0); }

// 32 hexadecimal digits that are the same whenever this trial is exported.
std::string run_id(const StudyRecord& record, const Trial& trial) {
  const std::string text =
      fmt::format("{}\n{}\n{}", record.name, dump(json_of(record.space)), trial.id);
  return fmt::format("{:016x}{:016x}", checksum(text), checksum(text + "\n"));
}

// A text for YAML; JSON's form of it is one.
std::string yaml_text(const std::string& text) { return dump(Json(text)); }

Result<void> write_run(const StudyRecord& record, const Trial& trial, const std::string& experiment,
                       const fs::path& folder) {
  const std::string id = run_id(record, trial);
  const fs::path run = folder / id;
  const std::int64_t ended = milliseconds(trial.finished_at);
  const std::int64_t began =
      trial.started_at > 0.0 ? milliseconds(trial.started_at) : ended - milliseconds(trial.seconds);
  std::vector<std::pair<fs::path, std::string>> files;
  files.emplace_back(
      "meta.yaml",
      fmt::format("artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
                  "lifecycle_stage: active\nrun_id: {}\nrun_name: trial {}\nrun_uuid: {}\n"
                  "source_name: vbo\nsource_type: 4\nsource_version: ''\nstart_time: {}\n"
                  "status: {}\ntags: []\nuser_id: vbo\n",
                  yaml_text((run / "artifacts").string()), ended, experiment, yaml_text(id),
                  trial.id, yaml_text(id), began, trial.values.empty() ? kFailed : kFinished));
  for (std::size_t i = 0; i < record.space.size(); ++i) {
    files.emplace_back(fs::path("params") / plain_name(record.space[i].name),
                       to_string(trial.point[i]));
  }
  const auto metric = [&](const std::string& name, double value, std::int64_t step) {
    const fs::path file = fs::path("metrics") / plain_name(name);
    const std::string line = fmt::format("{} {} {}\n", ended, number_text(value), step);
    if (!files.empty() && files.back().first == file) {
      files.back().second += line;
    } else {
      files.emplace_back(file, line);
    }
  };
  for (std::size_t m = 0; m < trial.values.size(); ++m) {
    const std::string& name = record.objectives[m].name;
    std::int64_t last = 0;
    for (const Step& step : trial.steps) {
      if (m < step.values.size()) metric(name, step.values[m], last = step.step);
    }
    metric(name, trial.values[m], trial.steps.empty() ? 0 : last + 1);
  }
  for (const auto& [name, value] : trial.metrics) metric("metrics." + name, value, 0);
  files.emplace_back("tags/mlflow.runName", fmt::format("trial {}", trial.id));
  files.emplace_back("tags/vbo.id", std::to_string(trial.id));
  files.emplace_back("tags/vbo.state", to_string(trial.state));
  files.emplace_back("tags/vbo.source", trial.rationale.source);
  if (trial.failure) files.emplace_back("tags/vbo.error", trial.failure->message);
  if (!trial.attributes.empty()) files.emplace_back("tags/vbo.user_attrs", trial.attributes);
  for (const auto& [name, bytes] : files) {
    if (const auto written = write_new_file(run / name, bytes); !written) return written.error();
  }
  fs::create_directories(run / "artifacts");
  return {};
}

}  // namespace

Result<void> export_mlflow(const StudyRecord& record, std::span<const Trial> trials,
                           const fs::path& folder) {
  // MLflow wants digits for an experiment's id. The name makes it, so that exporting the same
  // study twice is noticed.
  const std::string id = std::to_string(checksum(record.name) % 1000000000000000000U);
  const fs::path home = fs::absolute(folder) / id;
  if (fs::exists(home)) {
    return Error{ErrorKind::conflict, home.string() + " exists already: \"" + record.name +
                                          "\" was exported before; remove it or name another "
                                          "folder"};
  }
  double first = 0.0, last = 0.0;
  for (const Trial& trial : trials) {
    if (trial.asked_at > 0.0 && (first == 0.0 || trial.asked_at < first)) first = trial.asked_at;
    last = std::max({last, trial.asked_at, trial.finished_at});
  }
  const auto written =
      write_new_file(home / "meta.yaml",
                     fmt::format("artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\n"
                                 "last_update_time: {}\nlifecycle_stage: active\nname: {}\n",
                                 yaml_text(home.string()), milliseconds(first), id,
                                 milliseconds(last), yaml_text(record.name)));
  if (!written) return written.error();
  for (const Trial& trial : trials) {
    if (!trial.has_ended()) continue;
    if (const auto run = write_run(record, trial, id, home); !run) return run.error();
  }
  return {};
}

}  // namespace vbo::cli

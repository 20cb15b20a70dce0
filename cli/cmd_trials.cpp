// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <set>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/limits.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kAtOnce = 5000;  // rows in memory
constexpr std::array<std::string_view, 7> kColumns = {"id",       "state", "value",   "seconds",
                                                      "attempts", "error", "feasible"};

const std::string kMetricPrefix = "metrics.";

struct Options {
  std::string study;
  std::string state;
  bool json = false;
};

// RFC 4180: quoted where needed, quotes doubled, lines end in CR LF.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Every metric any trial has, each a column.
Result<std::set<std::string>> metric_names(Storage& storage) {
  const Result<std::vector<Trial>> history = storage.load_history();
  if (!history) return history.error();
  std::set<std::string> names;
  for (const Trial& trial : *history) {
    for (const auto& [name, value] : trial.metrics) names.insert(name);
  }
  return names;
}

std::string csv_header(const Space& space, const std::set<std::string>& metrics) {
  std::string line = "id,state,value";
  for (const Parameter& p : space.parameters()) {
    const bool taken = std::find(kColumns.begin(), kColumns.end(), p.name) != kColumns.end() ||
                       p.name.starts_with(kMetricPrefix);
    line += "," + csv_field(taken ? "params." + p.name : p.name);
  }
  line += ",seconds,attempts,error";
  for (const std::string& name : metrics) line += "," + csv_field(kMetricPrefix + name);
  if (!space.limits().empty()) line += ",feasible";
  return line + "\r\n";
}

std::string csv_row(const Space& space, const Trial& trial, const std::set<std::string>& metrics) {
  std::string line = std::to_string(trial.id) + "," + std::string(to_string(trial.state)) + "," +
                     (trial.value ? number_text(*trial.value) : "");
  for (const Value& value : trial.point) line += "," + csv_field(to_string(value));
  line += "," + number_text(trial.seconds) + "," + std::to_string(trial.attempts) + "," +
          csv_field(trial.failure ? trial.failure->message : "");
  for (const std::string& name : metrics) {
    const auto found = trial.metrics.find(name);
    line += "," + (found == trial.metrics.end() ? "" : number_text(found->second));
  }
  if (!space.limits().empty()) {
    line += !trial.value ? "," : is_feasible(space, trial) ? ",true" : ",false";
  }
  return line + "\r\n";
}

int trials(const Options& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  const Space& space = study->record.space;
  const std::optional<TrialState> wanted = trial_state_from(options.state);
  const Result<std::set<std::string>> metrics =
      options.json ? std::set<std::string>() : metric_names(*study->storage);
  if (!metrics) return fail(metrics.error());
  print_out(options.json ? "[" : csv_header(space, *metrics));
  bool first_row = true;
  for (TrialId next = 1;;) {
    const Result<std::vector<Trial>> rows = study->storage->load_trials(next, kAtOnce);
    if (!rows) return fail(rows.error());
    for (const Trial& trial : *rows) {
      if (wanted && trial.state != *wanted) continue;
      if (options.json) {
        print_out((first_row ? "\n" : ",\n") + dump(trial_json(space, trial)));
        first_row = false;
      } else {
        print_out(csv_row(space, trial, *metrics));
      }
    }
    if (rows->size() < static_cast<std::size_t>(kAtOnce)) break;
    next = rows->back().id + 1;
  }
  if (options.json) print_out(first_row ? "]\n" : "\n]\n");
  return kDone;
}

}  // namespace

Action define_trials(CLI::App& app, const Console&) {
  auto options = std::make_shared<Options>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.option("--state", options->state, "STATE",
                   "Only these: waiting, running, completed or failed",
                   {"waiting", "running", "completed", "failed"});
  arguments.flag("--json", options->json, "Print JSON instead of CSV");
  return [options] { return trials(*options); };
}

}  // namespace vbo::cli

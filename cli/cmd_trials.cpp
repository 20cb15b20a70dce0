// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <set>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/limits.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kAtOnce = 5000;  // rows in memory
constexpr std::array<std::string_view, 15> kColumns = {
    "id",         "state",       "value",  "sem",       "seconds", "attempts", "error", "asked_at",
    "started_at", "finished_at", "worker", "repeat_of", "repeat",  "feasible", "stderr"};

// The name of a column, with a prefix where it would be read as another one.
std::string column_name(const std::string& name, std::string_view prefix) {
  const bool taken = std::find(kColumns.begin(), kColumns.end(), name) != kColumns.end() ||
                     name.starts_with(kMetricPrefix) || name.starts_with(kSuggestedPrefix) ||
                     name.starts_with(kErrorPrefix) || name.starts_with(prefix);
  return taken ? std::string(prefix) + name : name;
}

// Columns that are there only when some trial needs them.
struct Extra {
  std::set<std::string> metrics;
  bool suggested = false;  // somewhere another point was set than suggested
  bool sem = false;        // somewhere standard errors are known
  bool repeats = false;    // some trial repeats another's point
};

struct TrialsArguments {
  std::string study;
  std::string state;
  bool json = false;
};

// RFC 4180: quoted where needed, quotes doubled, lines end in CR LF. A text that a spreadsheet
// would take for a formula gets an apostrophe before it, as in the CSV of the page.
std::string csv_field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
    text.insert(text.begin(), '\'');
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const Value& value) {  // numbers as they are
  const auto* text = std::get_if<std::string>(&value);
  return text ? csv_field(*text) : to_string(value);
}

Result<Extra> extra_columns(Storage& storage) {
  const Result<std::vector<Trial>> history = storage.load_history();
  if (!history) return history.error();
  Extra extra;
  for (const Trial& trial : *history) {
    for (const auto& [name, value] : trial.metrics) extra.metrics.insert(name);
    extra.suggested = extra.suggested || trial.suggested;
    extra.sem = extra.sem || !trial.standard_error.empty();
    extra.repeats = extra.repeats || trial.rationale.repeat_of != 0;
  }
  return extra;
}

std::string csv_header(const StudyRecord& record, const Extra& extra) {
  const Space& space = record.space;
  std::string line = "id,state";
  if (record.objectives.size() < 2) line += ",value";
  for (const Objective& objective : record.objectives) {
    if (record.objectives.size() < 2) continue;
    line += "," + csv_field(column_name(objective.name, kValuePrefix));
  }
  if (extra.sem && record.objectives.size() < 2) line += ",sem";
  for (const Objective& objective : record.objectives) {
    if (!extra.sem || record.objectives.size() < 2) continue;
    line += "," + csv_field(std::string(kErrorPrefix) + objective.name);
  }
  for (const Parameter& p : space.parameters()) {
    line += "," + csv_field(column_name(p.name, kParameterPrefix));
  }
  line += ",seconds,attempts,error,stderr";
  for (const std::string& name : extra.metrics)
    line += "," + csv_field(std::string(kMetricPrefix) + name);
  line += ",asked_at,started_at,finished_at,worker";
  if (extra.suggested) {
    for (const Parameter& p : space.parameters()) {
      line += "," + csv_field(std::string(kSuggestedPrefix) + p.name);
    }
  }
  if (extra.repeats) line += ",repeat_of,repeat";
  if (!space.limits().empty()) line += ",feasible";
  return line + "\r\n";
}

std::string csv_row(const StudyRecord& record, const Trial& trial, const Extra& extra) {
  const Space& space = record.space;
  std::string line = std::to_string(trial.id) + "," + std::string(to_string(trial.state));
  for (std::size_t m = 0; m < record.objectives.size(); ++m) {
    line += "," + (trial.values.empty() ? "" : number_text(trial.values[m]));
  }
  for (std::size_t m = 0; extra.sem && m < record.objectives.size(); ++m) {
    line += "," + (trial.standard_error.empty() ? "" : number_text(trial.standard_error[m]));
  }
  for (const Value& value : trial.point) line += "," + csv_field(value);
  line += "," + number_text(trial.seconds) + "," + std::to_string(trial.attempts) + "," +
          csv_field(trial.failure ? trial.failure->message : "") + "," +
          csv_field(one_line(last_line(trial.stderr_tail)));
  for (const std::string& name : extra.metrics) {
    const auto found = trial.metrics.find(name);
    line += "," + (found == trial.metrics.end() ? "" : number_text(found->second));
  }
  line += "," + time_text(trial.asked_at) + "," + time_text(trial.started_at) + "," +
          time_text(trial.finished_at) + "," + csv_field(trial.worker);
  if (extra.suggested) {
    for (std::size_t i = 0; i < trial.point.size(); ++i) {
      line += "," + (trial.suggested ? csv_field((*trial.suggested)[i]) : "");
    }
  }
  if (extra.repeats) {
    const bool repeats = trial.rationale.repeat_of != 0;
    line += "," + (repeats ? std::to_string(trial.rationale.repeat_of) : "");
    line += "," + std::to_string(trial.rationale.repeat);
  }
  if (!space.limits().empty()) {
    line += !trial.value() ? "," : is_feasible(space, trial) ? ",true" : ",false";
  }
  return line + "\r\n";
}

int trials(const TrialsArguments& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  const std::optional<TrialState> wanted = trial_state_from(options.state);
  const Result<Extra> extra = options.json ? Extra() : extra_columns(*study->storage);
  if (!extra) return fail(extra.error());
  print_out(options.json ? "[" : csv_header(record, *extra));
  bool first_row = true;
  for (TrialId next = 1;;) {
    const Result<std::vector<Trial>> rows = study->storage->load_trials(next, kAtOnce);
    if (!rows) return fail(rows.error());
    for (const Trial& trial : *rows) {
      if (wanted && trial.state != *wanted) continue;
      if (options.json) {
        print_out((first_row ? "\n" : ",\n") +
                  dump(trial_json(record.space, trial, record.objectives)));
        first_row = false;
      } else {
        print_out(csv_row(record, trial, *extra));
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
  auto options = std::make_shared<TrialsArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.option("--state", options->state, "STATE",
                   "Only these: waiting, running, completed or failed",
                   {"waiting", "running", "completed", "failed"});
  arguments.flag("--json", options->json, "Print JSON instead of CSV");
  return [options] { return trials(*options); };
}

}  // namespace vbo::cli

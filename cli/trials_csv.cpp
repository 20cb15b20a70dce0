// SPDX-License-Identifier: MIT
#include "cli/trials_csv.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/trial_json.hpp"
#include "core/limits.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

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

}  // namespace

ExtraColumns extra_columns(std::span<const Trial> trials) {
  ExtraColumns extra;
  for (const Trial& trial : trials) {
    for (const auto& [name, value] : trial.metrics) extra.metrics.insert(name);
    extra.suggested = extra.suggested || trial.suggested;
    extra.sem = extra.sem || !trial.standard_error.empty();
    extra.repeats = extra.repeats || trial.rationale.repeat_of != 0;
  }
  return extra;
}

std::string csv_header(const StudyRecord& record, const ExtraColumns& extra) {
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

std::string csv_row(const StudyRecord& record, const Trial& trial, const ExtraColumns& extra) {
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

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "cli/import.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "cli/file_kind.hpp"
#include "cli/trial_json.hpp"
#include "core/json.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "exec/value_line.hpp"
#ifdef VBO_HAVE_SQLITE
#include "storage/optuna/optuna.hpp"
#endif

namespace vbo::cli {
namespace {

constexpr std::string_view kParamPrefix = "params.";
// Columns of `vbo trials` that say nothing about the result.
constexpr std::array<std::string_view, 8> kIgnored = {
    "id", "attempts", "worker", "asked_at", "started_at", "finished_at", "stderr", "feasible"};

// What each column of a table is for.
struct Columns {
  std::vector<std::optional<std::size_t>> parameters;  // where each parameter stands
  std::optional<std::size_t> value, state, error, seconds;
  std::vector<std::pair<std::size_t, std::string>> metrics;
};

std::string place(const CsvTable& table, const CsvCell& cell) {
  return table.source + ":" + std::to_string(cell.line) + ":" + std::to_string(cell.column) + ": ";
}

Result<Columns> columns_of(const CsvTable& table, const Space& space,
                           std::vector<std::string>& problems) {
  Columns columns;
  columns.parameters.resize(space.size());
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c].text;
    std::optional<std::size_t> parameter;
    if (name.starts_with(kParamPrefix))
      parameter = space.index_of(name.substr(kParamPrefix.size()));
    const bool reserved =
        name == "value" || name == "state" || name == "error" || name == "seconds";
    if (!parameter && !reserved) parameter = space.index_of(name);
    if (parameter) {
      columns.parameters[*parameter] = c;
    } else if (name == "value") {
      columns.value = c;
    } else if (name == "state") {
      columns.state = c;
    } else if (name == "error") {
      columns.error = c;
    } else if (name == "seconds") {
      columns.seconds = c;
    } else if (name.starts_with(kMetricPrefix)) {
      columns.metrics.emplace_back(c, name.substr(kMetricPrefix.size()));
    } else if (!name.starts_with(kSuggestedPrefix) &&
               std::find(kIgnored.begin(), kIgnored.end(), name) == kIgnored.end()) {
      problems.push_back(place(table, table.header[c]) + "unknown column \"" + name + "\"" +
                         suggestion(name, names));
    }
  }
  const auto missing = [&](const std::string& name) {
    return Error{ErrorKind::invalid_input,
                 table.source + ":1: found no column \"" + name + "\", expected one", name, 1};
  };
  if (!columns.value) return missing("value");
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!columns.parameters[i] && !space[i].is_fixed()) return missing(space[i].name);
  }
  return columns;
}

// One row; nullopt when it holds no result yet, an error when it is wrong.
Result<std::optional<Evaluated>> result_of(const CsvTable& table, const Columns& columns,
                                           const std::vector<CsvCell>& row, const Space& space) {
  const auto wrong = [&](const CsvCell& cell, const std::string& problem) {
    return Error{ErrorKind::invalid_input, place(table, cell) + problem};
  };
  const std::string state = columns.state ? row[*columns.state].text : "";
  if (state == "waiting" || state == "running") return std::optional<Evaluated>();
  Evaluated result;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!columns.parameters[i]) {
      const Parameter& p = space[i];  // fixed
      result.point.push_back(p.has_choices() ? p.choices.front()
                             : p.kind == ParameterKind::integer
                                 ? Value(static_cast<std::int64_t>(p.low))
                                 : Value(p.low));
      continue;
    }
    const CsvCell& cell = row[*columns.parameters[i]];
    Result<Value> value = value_from_text(space[i], cell.text);
    // As `vbo trials` writes a text that a spreadsheet would take for a formula.
    if (!value && cell.text.size() > 1 && cell.text.front() == '\'') {
      if (auto bare = value_from_text(space[i], cell.text.substr(1))) value = std::move(bare);
    }
    if (!value) return wrong(cell, value.error().message);
    result.point.push_back(std::move(*value));
  }
  if (const Result<void> inside = space.check(result.point); !inside) {
    return wrong(row.front(), inside.error().message);
  }
  const CsvCell& cell = row[*columns.value];
  if (state == "failed") {
    const std::string why = columns.error ? row[*columns.error].text : "";
    result.outcome = Outcome::failed(FailureCause::reported, why.empty() ? "failed" : why);
  } else {
    const std::optional<Outcome> parsed =
        cell.text.starts_with('{') ? std::nullopt : parse_value_line(cell.text);
    if (!parsed) return wrong(cell, "value: found \"" + cell.text + "\", expected a number");
    result.outcome = *parsed;
  }
  for (const auto& [c, name] : columns.metrics) {
    if (row[c].text.empty() || result.outcome.failure) continue;
    const std::optional<Outcome> metric = parse_value_line(row[c].text);
    if (!metric || !metric->value()) {
      return wrong(row[c], "metric \"" + name + "\": found \"" + row[c].text +
                               "\", expected a finite number");
    }
    result.outcome.metrics[name] = *metric->value();
  }
  if (columns.seconds) {
    const std::optional<Outcome> seconds = parse_value_line(row[*columns.seconds].text);
    if (seconds && seconds->value()) result.outcome.seconds = *seconds->value();
  }
  return std::optional<Evaluated>(std::move(result));
}

Result<Imported> results_from_storage(const std::string& path, const StudyRecord& study) {
  const Result<std::unique_ptr<Storage>> storage = open_storage(path, Access::read);
  if (!storage) return storage.error();
  const Result<std::optional<StudyRecord>> record = (*storage)->load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, path + ": holds no study yet"};
  if ((*record)->goal() != study.goal()) {
    return Error{ErrorKind::invalid_input,
                 path + ": its goal is to " + std::string(to_string((*record)->goal())) +
                     ", expected the goal of this study, to " +
                     std::string(to_string(study.goal())),
                 "goal"};
  }
  const Result<std::vector<Trial>> trials = (*storage)->load_history();
  if (!trials) return trials.error();
  Imported imported;
  for (const Trial& trial : *trials) {
    if (!trial.has_ended()) continue;
    Result<Point> point = point_from(study.space, json_of((*record)->space, trial.point));
    if (!point) {
      imported.problems.push_back(path + ": trial " + std::to_string(trial.id) + ": " +
                                  point.error().message);
      continue;
    }
    imported.results.push_back({std::move(*point),
                                {.values = trial.values,
                                 .failure = trial.failure,
                                 .metrics = trial.metrics,
                                 .standard_error = trial.standard_error,
                                 .seconds = trial.seconds}});
  }
  return imported;
}

#ifdef VBO_HAVE_SQLITE
// Where each objective of this study stands among Optuna's: by its name where all have one that is
// known there, else in their order.
Result<std::vector<std::size_t>> places_of(const std::string& path, const OptunaStudy& optuna,
                                           const std::vector<Objective>& objectives) {
  const auto text = [](const std::vector<Objective>& all) {
    std::string found;
    for (const Objective& objective : all) {
      found += (found.empty() ? "" : ", ") + std::string(to_string(objective.goal)) +
               (all.size() > 1 ? " " + objective.name : "");
    }
    return found;
  };
  std::vector<std::size_t> in_order(objectives.size()), by_name;
  for (std::size_t m = 0; m < objectives.size(); ++m) {
    in_order[m] = m;
    const auto found = std::ranges::find(optuna.objectives, objectives[m].name, &Objective::name);
    if (found == optuna.objectives.end()) continue;
    by_name.push_back(static_cast<std::size_t>(found - optuna.objectives.begin()));
  }
  const std::vector<std::size_t>& places = by_name.size() == objectives.size() ? by_name : in_order;
  bool same = optuna.objectives.size() == objectives.size();
  for (std::size_t m = 0; m < objectives.size() && same; ++m) {
    same = optuna.objectives[places[m]].goal == objectives[m].goal;
  }
  if (same) return places;
  return Error{ErrorKind::invalid_input,
               path + ": the goal of its study \"" + optuna.name + "\" is to " +
                   text(optuna.objectives) + ", expected the goal of this study, to " +
                   text(objectives),
               "goal"};
}

Result<Imported> results_from_optuna(const std::string& path, const StudyRecord& study,
                                     const std::string& name) {
  const Result<OptunaStudy> optuna = read_optuna(path, name);
  if (!optuna) return optuna.error();
  const Result<std::vector<std::size_t>> places = places_of(path, *optuna, study.objectives);
  if (!places) return places.error();
  Imported imported;
  imported.pruned = optuna->pruned;
  for (const OptunaTrial& trial : optuna->trials) {
    Result<Point> point = point_from(study.space, trial.params);
    if (point) {
      Outcome outcome = trial.outcome;
      for (std::size_t m = 0; m < outcome.values.size(); ++m) {
        outcome.values[m] = trial.outcome.values[(*places)[m]];
      }
      imported.results.push_back({std::move(*point), std::move(outcome)});
    } else {
      imported.problems.push_back(path + ": trial " + std::to_string(trial.number) + ": " +
                                  point.error().message);
    }
  }
  return imported;
}
#endif

}  // namespace

Result<Imported> results_from(const CsvTable& table, const Space& space) {
  Imported imported;
  const Result<Columns> columns = columns_of(table, space, imported.problems);
  if (!columns) return columns.error();
  for (const std::vector<CsvCell>& row : table.rows) {
    Result<std::optional<Evaluated>> result = result_of(table, *columns, row, space);
    if (!result) {
      imported.problems.push_back(result.error().message);
    } else if (*result) {
      imported.results.push_back(std::move(**result));
    }
  }
  return imported;
}

Result<Imported> read_results(const std::string& path, const StudyRecord& study,
                              const std::string& optuna_study) {
  if (is_sqlite_file(path)) {
#ifdef VBO_HAVE_SQLITE
    if (is_optuna_file(path)) return results_from_optuna(path, study, optuna_study);
#endif
    return results_from_storage(path, study);
  }
  const Result<CsvTable> table = read_csv(path);
  if (!table) return table.error();
  return results_from(*table, study.space);
}

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "cli/import.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>

#include "cli/file_kind.hpp"
#include "cli/trial_json.hpp"
#include "core/actual.hpp"
#include "core/json.hpp"
#include "core/objectives.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "exec/value_line.hpp"
#ifdef VBO_HAVE_SQLITE
#include "storage/optuna/optuna.hpp"
#endif

namespace vbo::cli {
namespace {

// Columns of `vbo trials` that say nothing about the result; repeats are known by their points.
constexpr std::array<std::string_view, 10> kIgnored = {
    "id",          "attempts", "worker",   "asked_at",  "started_at",
    "finished_at", "stderr",   "feasible", "repeat_of", "repeat"};

// What each column of a table is for.
struct Columns {
  std::vector<std::optional<std::size_t>> parameters;  // where each parameter stands
  std::vector<std::optional<std::size_t>> values;      // and each objective
  std::vector<std::optional<std::size_t>> sem;         // and its standard error
  std::optional<std::size_t> state, error, seconds;
  std::vector<std::pair<std::size_t, std::string>> metrics;
};

std::string place(const CsvTable& table, const CsvCell& cell) {
  return table.source + ":" + std::to_string(cell.line) + ":" + std::to_string(cell.column) + ": ";
}

// Names of columns with values: "value", or those of the objectives.
std::vector<std::string> value_names(const std::vector<Objective>& objectives) {
  std::vector<std::string> names;
  for (const Objective& objective : objectives) names.push_back(objective.name);
  return names.size() < 2 ? std::vector<std::string>{"value"} : names;
}

// Which of the values the column has, if any.
std::optional<std::size_t> value_in(const std::string& column,
                                    const std::vector<std::string>& names) {
  for (std::size_t m = 0; m < names.size(); ++m) {
    if (column == names[m] || column == std::string(kValuePrefix) + names[m]) return m;
  }
  return std::nullopt;
}

// Of which value the column has the standard error, if of any.
std::optional<std::size_t> error_in(const std::string& column,
                                    const std::vector<Objective>& objectives) {
  for (std::size_t m = 0; m < objectives.size(); ++m) {
    if (column == (objectives.size() < 2 ? "sem" : std::string(kErrorPrefix) + objectives[m].name))
      return m;
  }
  return std::nullopt;
}

// The standard errors of a row: all of them or none.
Result<std::vector<double>> errors_of(const CsvTable& table, const Columns& columns,
                                      const std::vector<CsvCell>& row) {
  const auto is_given = [&](const std::optional<std::size_t>& c) {
    return c && !row[*c].text.empty();
  };
  if (std::ranges::none_of(columns.sem, is_given)) return std::vector<double>();
  std::vector<double> errors;
  for (const std::optional<std::size_t>& c : columns.sem) {
    const CsvCell& cell = row[c.value_or(0)];
    const std::optional<Outcome> sem = is_given(c) ? parse_value_line(cell.text) : std::nullopt;
    if (!sem || !sem->value() || *sem->value() < 0.0) {
      const std::string name = c ? table.header[*c].text : "sem";
      return Error{ErrorKind::invalid_input,
                   place(table, cell) + name + ": found \"" + (c ? cell.text : "") +
                       "\", expected a standard error, 0 or more" +
                       (columns.sem.size() > 1 ? ", for each objective" : "")};
    }
    errors.push_back(*sem->value());
  }
  return errors;
}

Result<Columns> columns_of(const CsvTable& table, const Space& space,
                           const std::vector<Objective>& objectives,
                           std::vector<std::string>& problems) {
  Columns columns;
  columns.parameters.resize(space.size());
  const std::vector<std::string> values = value_names(objectives);
  columns.values.resize(values.size());
  columns.sem.resize(values.size());
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  std::map<std::string, std::string> taken;  // what a column is for, and which one is for it
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c].text;
    std::optional<std::size_t> parameter;
    if (name.starts_with(kParameterPrefix))
      parameter = space.index_of(name.substr(kParameterPrefix.size()));
    // `vbo trials` writes an objective with the name of a column of its own as values.NAME.
    const std::string by_prefix = std::string(kValuePrefix) + name;
    const bool is_ours =
        objectives.size() > 1 && std::ranges::any_of(table.header, [&](const CsvCell& cell) {
          return cell.text == by_prefix;
        });
    const std::optional<std::size_t> value = is_ours ? std::nullopt : value_in(name, values);
    const std::optional<std::size_t> error = error_in(name, objectives);
    const bool reserved = value || error || name == "state" || name == "error" || name == "seconds";
    if (!parameter && !reserved) parameter = space.index_of(name);
    const std::string purpose = parameter ? "parameter " + space[*parameter].name
                                : value   ? "value " + std::to_string(*value)
                                          : "column " + name;
    if (const auto [entry, fresh] = taken.emplace(purpose, name); !fresh) {
      return Error{ErrorKind::invalid_input,
                   place(table, table.header[c]) + "found column \"" + name + "\"" +
                       (entry->second == name ? " twice" : " beside \"" + entry->second + "\"") +
                       ", expected one",
                   name, table.header[c].line};
    }
    if (name == kMetricPrefix) {
      return Error{ErrorKind::invalid_input,
                   place(table, table.header[c]) + "found column \"" + name +
                       "\", expected the name of a metric after the dot",
                   name, table.header[c].line};
    }
    if (parameter) {
      columns.parameters[*parameter] = c;
    } else if (value) {
      columns.values[*value] = c;
    } else if (name == "state") {
      columns.state = c;
    } else if (name == "error") {
      columns.error = c;
    } else if (name == "seconds") {
      columns.seconds = c;
    } else if (error) {
      columns.sem[*error] = c;
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
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (!columns.values[m]) return missing(values[m]);
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!columns.parameters[i] && !space[i].is_fixed()) return missing(space[i].name);
  }
  return columns;
}

// One row; nullopt when it holds no result yet, an error when it is wrong.
Result<std::optional<Evaluated>> result_of(const CsvTable& table, const Columns& columns,
                                           const std::vector<CsvCell>& row, const Space& space,
                                           const std::vector<Objective>& objectives,
                                           bool as_measured) {
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
    const Parameter allowed = as_measured ? without_step(space[i]) : space[i];
    Result<Value> value = value_from_text(allowed, cell.text);
    // As `vbo trials` writes a text that a spreadsheet would take for a formula.
    if (!value && cell.text.size() > 1 && cell.text.front() == '\'') {
      if (auto bare = value_from_text(allowed, cell.text.substr(1))) value = std::move(bare);
    }
    if (!value) return wrong(cell, value.error().message);
    result.point.push_back(std::move(*value));
  }
  result.as_measured = as_measured && !space.check(result.point);
  if (const Result<void> inside = check_result(space, result); !inside) {
    return wrong(row.front(), inside.error().message);
  }
  if (state == "failed") {
    const std::string why = columns.error ? row[*columns.error].text : "";
    result.outcome = Outcome::failed(FailureCause::reported, why.empty() ? "failed" : why);
  } else {
    std::vector<double> values;
    for (std::size_t m = 0; m < columns.values.size(); ++m) {
      const CsvCell& cell = row[*columns.values[m]];
      const std::optional<Outcome> parsed =
          cell.text.starts_with('{') ? std::nullopt : parse_value_line(cell.text);
      if (!parsed) {
        return wrong(
            cell, value_names(objectives)[m] + ": found \"" + cell.text + "\", expected a number");
      }
      values.push_back(parsed->value().value_or(std::nan("")));
      if (parsed->failure) result.outcome.failure = parsed->failure;
    }
    if (!result.outcome.failure) {
      result.outcome.values = std::move(values);
    } else if (objectives.size() > 1) {
      result.outcome = outcome_of(std::move(values), objectives);  // says which one
    }
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
  if (!result.outcome.failure) {
    Result<std::vector<double>> errors = errors_of(table, columns, row);
    if (!errors) return errors.error();
    result.outcome.standard_error = std::move(*errors);
  }
  if (columns.seconds) {
    const std::optional<Outcome> seconds = parse_value_line(row[*columns.seconds].text);
    if (seconds && seconds->value()) result.outcome.seconds = *seconds->value();
  }
  return std::optional<Evaluated>(std::move(result));
}

// Where each objective stands among others with the same names and goals, whatever their order and
// references; a name does not matter where there is one.
std::optional<std::vector<std::size_t>> places_of(const std::vector<Objective>& objectives,
                                                  const std::vector<Objective>& others) {
  if (objectives.size() != others.size()) return std::nullopt;
  std::vector<std::size_t> places;
  for (const Objective& objective : objectives) {
    const auto found = std::ranges::find_if(others, [&](const Objective& other) {
      return other.goal == objective.goal && (others.size() == 1 || other.name == objective.name);
    });
    if (found == others.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - others.begin()));
  }
  return places;
}

std::vector<double> in_places(const std::vector<double>& numbers,
                              const std::vector<std::size_t>& places) {
  if (numbers.empty()) return {};
  std::vector<double> found;
  for (const std::size_t place : places) found.push_back(numbers[place]);
  return found;
}

Result<Imported> results_from_storage(const std::string& path, const StudyRecord& study,
                                      bool as_measured) {
  const Result<std::unique_ptr<Storage>> storage = open_storage(path, Access::read);
  if (!storage) return storage.error();
  const Result<std::optional<StudyRecord>> record = (*storage)->load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, path + ": holds no study yet"};
  const auto places = places_of(study.objectives, (*record)->objectives);
  if (!places) {
    return Error{ErrorKind::invalid_input,
                 path + ": its goal is to " + goals_text((*record)->objectives) +
                     ", expected the goal of this study, to " + goals_text(study.objectives),
                 "goal"};
  }
  const Result<std::vector<Trial>> trials = (*storage)->load_history();
  if (!trials) return trials.error();
  Imported imported;
  for (const Trial& trial : *trials) {
    if (!trial.has_ended()) continue;
    const Json params = json_of((*record)->space, trial.point);
    Result<Point> point = point_from(study.space, params);
    const bool off = !point && as_measured;
    if (off) point = actual_from(study.space, params);
    if (!point) {
      imported.problems.push_back(path + ": trial " + std::to_string(trial.id) + ": " +
                                  point.error().message);
      continue;
    }
    std::vector<Step> steps = trial.steps;
    for (Step& step : steps) step.values = in_places(step.values, *places);
    imported.results.push_back({std::move(*point),
                                {.values = in_places(trial.values, *places),
                                 .failure = trial.failure,
                                 .metrics = trial.metrics,
                                 .standard_error = in_places(trial.standard_error, *places),
                                 .steps = std::move(steps),
                                 .attributes = trial.attributes,
                                 .seconds = trial.seconds},
                                off});
  }
  return imported;
}

#ifdef VBO_HAVE_SQLITE
// Where each objective of this study stands among Optuna's: by its name where all have one that is
// known there, else in their order.
Result<std::vector<std::size_t>> places_of(const std::string& path, const OptunaStudy& optuna,
                                           const std::vector<Objective>& objectives) {
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
                   goals_text(optuna.objectives) + ", expected the goal of this study, to " +
                   goals_text(objectives),
               "goal"};
}

Result<Imported> results_from_optuna(const std::string& path, const StudyRecord& study,
                                     const std::string& name, bool as_measured) {
  const Result<OptunaStudy> optuna = read_optuna(path, name);
  if (!optuna) return optuna.error();
  const Result<std::vector<std::size_t>> places = places_of(path, *optuna, study.objectives);
  if (!places) return places.error();
  Imported imported;
  imported.pruned = optuna->pruned;
  for (const OptunaTrial& trial : optuna->trials) {
    Result<Point> point = point_from(study.space, trial.params);
    const bool off = !point && as_measured;
    if (off) point = actual_from(study.space, trial.params);
    if (point) {
      Outcome outcome = trial.outcome;
      for (std::size_t m = 0; m < outcome.values.size(); ++m) {
        outcome.values[m] = trial.outcome.values[(*places)[m]];
      }
      imported.results.push_back({std::move(*point), std::move(outcome), off});
    } else {
      imported.problems.push_back(path + ": trial " + std::to_string(trial.number) + ": " +
                                  point.error().message);
    }
  }
  return imported;
}
#endif

}  // namespace

Result<Imported> results_from(const CsvTable& table, const Space& space,
                              const std::vector<Objective>& objectives, bool as_measured) {
  Imported imported;
  const Result<Columns> columns = columns_of(table, space, objectives, imported.problems);
  if (!columns) return columns.error();
  for (const std::vector<CsvCell>& row : table.rows) {
    Result<std::optional<Evaluated>> result =
        result_of(table, *columns, row, space, objectives, as_measured);
    if (!result) {
      imported.problems.push_back(result.error().message);
    } else if (*result) {
      imported.results.push_back(std::move(**result));
    }
  }
  return imported;
}

Result<Imported> read_results(const std::string& path, const StudyRecord& study,
                              const std::string& optuna_study, bool as_measured) {
  if (path.find("://") != std::string::npos) {
    return results_from_storage(path, study, as_measured);
  }
  if (is_sqlite_file(path)) {
#ifdef VBO_HAVE_SQLITE
    if (is_optuna_file(path)) return results_from_optuna(path, study, optuna_study, as_measured);
#endif
    return results_from_storage(path, study, as_measured);
  }
  const Result<CsvTable> table = read_csv(path);
  if (!table) return table.error();
  return results_from(*table, study.space, study.objectives, as_measured);
}

}  // namespace vbo::cli

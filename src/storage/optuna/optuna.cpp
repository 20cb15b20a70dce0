// SPDX-License-Identifier: MIT
#include "storage/optuna/optuna.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "core/json.hpp"
#include "core/objectives.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/storage.hpp"

namespace vbo {
namespace {

using sqlite::Database;
using sqlite::Fault;
using sqlite::Statement;

struct Found {
  std::int64_t id = 0;
  std::string name;
};

Found find_study(Database& database, const std::string& path, const std::string& name) {
  std::vector<Found> all;
  Statement select = database.prepare("SELECT study_id, study_name FROM studies ORDER BY study_id");
  std::string names;
  while (select.step()) {
    all.push_back({select.integer(0), std::string(select.text(1))});
    names += (names.empty() ? "\"" : ", \"") + all.back().name + "\"";
  }
  for (const Found& study : all) {
    if (study.name == name || (name.empty() && all.size() == 1)) return study;
  }
  if (all.empty()) throw Fault{{ErrorKind::not_found, path + ": holds no Optuna study"}};
  throw Fault{{ErrorKind::invalid_input,
               path + ": " +
                   (name.empty() ? "holds several Optuna studies, expected --study with one of "
                                 : "found no Optuna study \"" + name + "\", expected one of ") +
                   names,
               "study"}};
}

// What people call the objectives in Optuna; empty where they have no names.
std::vector<std::string> metric_names(Database& database, const Found& study) {
  if (!database
           .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = "
                    "'study_system_attributes'")
           .step()) {
    return {};
  }
  Statement select = database.prepare(
      "SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = "
      "'study:metric_names'");
  select.bind(study.id);
  if (!select.step()) return {};
  const Result<Json> json = parse_json(select.text(0));
  std::vector<std::string> names;
  if (!json || !json->is_array()) return {};
  for (const Json& name : *json) {
    if (!name.is_string()) return {};
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::vector<Objective> objectives_of(Database& database, const std::string& path,
                                     const Found& study) {
  Statement select = database.prepare(
      "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective");
  select.bind(study.id);
  std::vector<Objective> objectives;
  while (select.step()) {
    objectives.push_back({"value_" + std::to_string(objectives.size()),
                          select.text(0) == "MAXIMIZE" ? Goal::maximize : Goal::minimize});
  }
  if (objectives.empty() || objectives.size() > kMostObjectives) {
    throw Fault{{ErrorKind::unsupported, path + ": the Optuna study \"" + study.name + "\" has " +
                                             std::to_string(objectives.size()) +
                                             " objectives, expected 1 to " +
                                             std::to_string(kMostObjectives)}};
  }
  if (objectives.size() == 1) {
    objectives.front().name = Objective{}.name;
    return objectives;
  }
  const std::vector<std::string> names = metric_names(database, study);
  for (std::size_t m = 0; m < objectives.size() && names.size() == objectives.size(); ++m) {
    objectives[m].name = names[m];
  }
  return objectives;
}

// What a number Optuna stores stands for says its distribution; null when it cannot be.
Json value_of(double number, const Json& distribution) {
  const auto kind = distribution.find("name");
  const std::string name =
      kind != distribution.end() && kind->is_string() ? kind->get<std::string>() : "";
  if (name == "CategoricalDistribution") {
    const auto attributes = distribution.find("attributes");
    if (attributes == distribution.end() || !attributes->is_object()) return {};
    const auto choices = attributes->find("choices");
    if (choices == attributes->end() || !choices->is_array()) return {};
    if (!(number >= 0.0) || number >= static_cast<double>(choices->size())) return {};
    return (*choices)[static_cast<std::size_t>(number)];
  }
  // Beyond 2^62 it is no whole number of Optuna's; as it is, no parameter will take it.
  if (name.starts_with("Int") && std::abs(number) < 0x1p62) {
    return static_cast<std::int64_t>(std::llround(number));
  }
  return number;
}

// The results of completed trials; `places` are positions in study.trials by Optuna's trial_id.
void read_values(Database& database, const Found& found,
                 const std::map<std::int64_t, std::size_t>& places, OptunaStudy& study) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::map<std::size_t, std::vector<double>> found_values;
  Statement values = database.prepare(
      "SELECT v.trial_id, v.value, v.value_type, typeof(v.value) IN ('real', 'integer'), "
      "v.objective FROM trial_values v JOIN trials t ON t.trial_id = v.trial_id WHERE t.study_id = "
      "? AND t.state = 'COMPLETE'");
  values.bind(found.id);
  while (values.step()) {
    const auto place = places.find(values.integer(0));
    const std::int64_t objective = values.integer(4);
    if (place == places.end() || objective < 0 || objective >= std::ssize(study.objectives)) {
      continue;
    }
    double value = values.integer(3) == 1 ? values.real(1) : unknown;  // or infinite
    if (values.text(2) == "INF_POS") value = infinity;
    if (values.text(2) == "INF_NEG") value = -infinity;
    const auto [own, fresh] = found_values.try_emplace(
        place->second, std::vector<double>(study.objectives.size(), unknown));
    own->second[static_cast<std::size_t>(objective)] = value;
  }
  for (auto& [place, own] : found_values) {
    Outcome& outcome = study.trials[place].outcome;
    const double seconds = outcome.seconds;
    outcome = Outcome::of(std::move(own));
    outcome.seconds = seconds;
  }
}

}  // namespace

bool is_optuna_file(const std::string& path) {
  const auto found = sqlite::attempt([&] {
    sqlite::Reader reader = sqlite::open_for_reading(path);
    return reader.database
        .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trial_params'")
        .step();
  });
  return found && *found;
}

Result<OptunaStudy> read_optuna(const std::string& path, const std::string& name) {
  return sqlite::attempt([&] {
    sqlite::Reader reader = sqlite::open_for_reading(path);
    Database& database = reader.database;
    const Found found = find_study(database, path, name);
    OptunaStudy study{.name = found.name, .objectives = objectives_of(database, path, found)};
    std::map<std::int64_t, std::size_t> places;  // by Optuna's trial_id
    Statement trials = database.prepare(
        "SELECT trial_id, number, state, "
        "(julianday(datetime_complete) - julianday(datetime_start)) * 86400 FROM trials "
        "WHERE study_id = ? ORDER BY number");
    trials.bind(found.id);
    while (trials.step()) {
      const std::string_view state = trials.text(2);
      study.pruned += state == "PRUNED";
      if (state != "COMPLETE" && state != "FAIL") continue;
      places[trials.integer(0)] = study.trials.size();
      OptunaTrial& trial = study.trials.emplace_back();
      trial.number = trials.integer(1);
      trial.outcome = Outcome::failed(FailureCause::reported, "it failed in Optuna");
      if (!trials.is_null(3)) trial.outcome.seconds = std::max(0.0, trials.real(3));
    }
    Statement params = database.prepare(
        "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json, "
        "typeof(p.param_value) IN ('real', 'integer') FROM trial_params p JOIN trials t ON "
        "t.trial_id = p.trial_id WHERE t.study_id = ? ORDER BY p.param_id");
    params.bind(found.id);
    while (params.step()) {
      const auto place = places.find(params.integer(0));
      if (place == places.end()) continue;
      const Result<Json> distribution = parse_json(params.text(3));
      if (!distribution || !distribution->is_object()) {
        throw Fault{{ErrorKind::damaged, path + ": the distribution of parameter \"" +
                                             std::string(params.text(1)) + "\" is not readable"}};
      }
      study.trials[place->second].params[std::string(params.text(1))] =
          params.integer(4) == 1 ? value_of(params.real(2), *distribution) : Json();
    }
    read_values(database, found, places, study);
    return study;
  });
}

}  // namespace vbo

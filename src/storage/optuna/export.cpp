// SPDX-License-Identifier: MIT
#include "storage/optuna/export.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

#include "core/json.hpp"
#include "storage/sqlite/database.hpp"

namespace vbo {
namespace {

using sqlite::Database;

// As Optuna creates it: schema 12, revision v3.2.0.a, in use since Optuna 3.2.
constexpr std::string_view kOptunaSchema =
    R"(CREATE TABLE studies (study_id INTEGER NOT NULL PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE TABLE version_info (version_info_id INTEGER NOT NULL PRIMARY KEY, schema_version INTEGER,
  library_version VARCHAR(256), CHECK (version_info_id=1));
INSERT INTO version_info VALUES (1, 12, '3.2.0');
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('v3.2.0.a');
CREATE TABLE study_directions (study_direction_id INTEGER NOT NULL PRIMARY KEY,
  direction VARCHAR(8) NOT NULL, study_id INTEGER NOT NULL REFERENCES studies (study_id),
  objective INTEGER NOT NULL, UNIQUE (study_id, objective));
CREATE TABLE study_user_attributes (study_user_attribute_id INTEGER NOT NULL PRIMARY KEY,
  study_id INTEGER REFERENCES studies (study_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (study_id, "key"));
CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER NOT NULL PRIMARY KEY,
  study_id INTEGER REFERENCES studies (study_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (study_id, "key"));
CREATE TABLE trials (trial_id INTEGER NOT NULL PRIMARY KEY, number INTEGER,
  study_id INTEGER REFERENCES studies (study_id), state VARCHAR(8) NOT NULL,
  datetime_start DATETIME, datetime_complete DATETIME);
CREATE INDEX ix_trials_study_id ON trials (study_id);
CREATE TABLE trial_user_attributes (trial_user_attribute_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (trial_id, "key"));
CREATE TABLE trial_system_attributes (trial_system_attribute_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (trial_id, "key"));
CREATE TABLE trial_params (param_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), param_name VARCHAR(512), param_value FLOAT,
  distribution_json TEXT, UNIQUE (trial_id, param_name));
CREATE TABLE trial_values (trial_value_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trials (trial_id), objective INTEGER NOT NULL, value FLOAT,
  value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, objective));
CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trials (trial_id), step INTEGER NOT NULL,
  intermediate_value FLOAT, intermediate_value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, step));
CREATE TABLE trial_heartbeats (trial_heartbeat_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trials (trial_id), heartbeat DATETIME NOT NULL,
  UNIQUE (trial_id));
)";

// Optuna keeps local time. Nothing where the time is unknown.
std::optional<std::string> local_time(double seconds) {
  if (!(seconds > 0.0)) return std::nullopt;
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  std::tm parts{};
  localtime_r(&whole, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  const auto micro = static_cast<int>((seconds - std::floor(seconds)) * 1e6);
  const std::string digits = std::to_string(1000000 + micro);
  return std::string(text.data(), length) + "." + digits.substr(1);
}

Json distribution_of(const Parameter& parameter) {
  if (parameter.has_choices()) {
    Json choices = Json::array();
    for (const Value& value : parameter.choices) choices.push_back(json_of(value));
    return {{"name", "CategoricalDistribution"}, {"attributes", {{"choices", choices}}}};
  }
  const bool whole = parameter.kind == ParameterKind::integer;
  Json attributes = {{"log", parameter.log}};
  if (whole) {
    attributes["low"] = std::llround(parameter.low);
    attributes["high"] = std::llround(parameter.high);
    attributes["step"] = parameter.step > 0.0 ? std::llround(parameter.step) : 1;
  } else {
    attributes["low"] = parameter.low;
    attributes["high"] = parameter.high;
    attributes["step"] = parameter.step > 0.0 ? Json(parameter.step) : Json();
  }
  return {{"name", whole ? "IntDistribution" : "FloatDistribution"}, {"attributes", attributes}};
}

// The number that Optuna stores: of a choice its place.
double number_of(const Parameter& parameter, const Value& value) {
  if (parameter.has_choices()) {
    const auto found = std::ranges::find(parameter.choices, value);
    return static_cast<double>(found - parameter.choices.begin());
  }
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : 0.0;
}

const char* state_of(const Trial& trial) {
  switch (trial.state) {
    case TrialState::completed:
      return "COMPLETE";
    case TrialState::failed:
      return "FAIL";
    case TrialState::stopped:
      return "PRUNED";
    default:
      return "WAITING";
  }
}

Json attributes_of(const Trial& trial) {
  Json attributes = Json::object();
  if (!trial.attributes.empty()) {
    if (Result<Json> own = parse_json(trial.attributes)) attributes = std::move(*own);
  }
  attributes["vbo_id"] = trial.id;
  for (const auto& [name, value] : trial.metrics) attributes["metrics." + name] = value;
  if (trial.failure) attributes["error"] = trial.failure->message;
  return attributes;
}

// How far each limit is exceeded; above 0 is infeasible for Optuna.
Json excess_of(const Space& space, const Trial& trial) {
  Json excess = Json::array();
  for (const Limit& limit : space.limits()) {
    const auto found = trial.metrics.find(limit.metric);
    const double value = found == trial.metrics.end() ? 0.0 : found->second;
    double most = -std::numeric_limits<double>::infinity();
    if (limit.at_most) most = std::max(most, value - *limit.at_most);
    if (limit.at_least) most = std::max(most, *limit.at_least - value);
    excess.push_back(most);
  }
  return excess;
}

class OptunaWriter {
 public:
  explicit OptunaWriter(Database& database) : database_(database) {}

  void study(const StudyRecord& record) {
    database_.prepare("INSERT INTO studies VALUES (1, ?)").bind(record.name).run();
    std::vector<std::string> names;
    for (std::size_t m = 0; m < record.objectives.size(); ++m) {
      const bool up = record.objectives[m].goal == Goal::maximize;
      database_
          .prepare("INSERT INTO study_directions (direction, study_id, objective) VALUES (?, 1, ?)")
          .bind(up ? "MAXIMIZE" : "MINIMIZE", static_cast<std::int64_t>(m))
          .run();
      names.push_back(record.objectives[m].name);
    }
    database_
        .prepare(
            "INSERT INTO study_user_attributes (study_id, \"key\", value_json) VALUES (1, "
            "'vbo_space', ?)")
        .bind(dump(Json(dump(json_of(record.space)))))
        .run();
    if (names.size() < 2) return;
    database_
        .prepare(
            "INSERT INTO study_system_attributes (study_id, \"key\", value_json) VALUES (1, "
            "'study:metric_names', ?)")
        .bind(dump(Json(names)))
        .run();
  }

  void trial(const StudyRecord& record, const Trial& trial) {
    ++id_;
    const bool open = !trial.has_ended();
    const double began =
        trial.started_at > 0.0 ? trial.started_at : trial.finished_at - trial.seconds;
    database_.prepare("INSERT INTO trials VALUES (?, ?, 1, ?, ?, ?)")
        .bind(id_, id_ - 1, state_of(trial), local_time(open ? 0.0 : began),
              local_time(open ? 0.0 : trial.finished_at))
        .run();
    const Json attributes = attributes_of(trial);
    for (const auto& item : attributes.items()) {
      attribute("trial_user_attributes", item.key(), item.value());
    }
    if (open) {  // Optuna evaluates these first
      attribute("trial_system_attributes", "fixed_params", json_of(record.space, trial.point));
      return;
    }
    for (std::size_t i = 0; i < record.space.size(); ++i) {
      const Parameter& parameter = record.space[i];
      database_
          .prepare(
              "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) "
              "VALUES (?, ?, ?, ?)")
          .bind(id_, parameter.name, number_of(parameter, trial.point[i]),
                dump(distribution_of(parameter)))
          .run();
    }
    for (std::size_t m = 0; m < trial.values.size(); ++m) {
      database_
          .prepare(
              "INSERT INTO trial_values (trial_id, objective, value, value_type) VALUES (?, ?, ?, "
              "'FINITE')")
          .bind(id_, static_cast<std::int64_t>(m), trial.values[m])
          .run();
    }
    for (const Step& step : trial.steps) {
      if (step.values.size() != 1) continue;  // Optuna has one number per step
      database_
          .prepare(
              "INSERT OR REPLACE INTO trial_intermediate_values (trial_id, step, "
              "intermediate_value, intermediate_value_type) VALUES (?, ?, ?, 'FINITE')")
          .bind(id_, step.step, step.values.front())
          .run();
    }
    if (!record.space.limits().empty() && !trial.values.empty()) {
      attribute("trial_system_attributes", "constraints", excess_of(record.space, trial));
    }
  }

 private:
  void attribute(const std::string& table, const std::string& key, const Json& value) {
    database_.prepare("INSERT INTO " + table + " (trial_id, \"key\", value_json) VALUES (?, ?, ?)")
        .bind(id_, key, dump(value))
        .run();
  }

  Database& database_;
  std::int64_t id_ = 0;
};

}  // namespace

Result<void> write_optuna(const StudyRecord& record, std::span<const Trial> trials,
                          const std::string& path) {
  if (std::filesystem::exists(path)) {
    return Error{ErrorKind::conflict, path + " exists already; remove it or name another file"};
  }
  return sqlite::attempt([&] {
    Database database(path, Database::Mode::create);
    database.execute("BEGIN");
    for (std::string_view rest = kOptunaSchema; rest.find(';') != std::string_view::npos;) {
      const std::size_t end = rest.find(";\n");
      database.execute(rest.substr(0, end));
      rest.remove_prefix(end + 2);
    }
    OptunaWriter writer(database);
    writer.study(record);
    for (const Trial& trial : trials) writer.trial(record, trial);
    database.execute("COMMIT");
  });
}

}  // namespace vbo

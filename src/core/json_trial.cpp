// SPDX-License-Identifier: MIT
// Trials as others see them, and the answers of those who evaluate them.
#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "core/json.hpp"
#include "core/limits.hpp"
#include "core/objectives.hpp"
#include "core/spelling.hpp"

namespace vbo {
namespace {

// What is wrong with the metrics of an answer, if anything.
std::optional<Failure> read_metrics(const Json& json, std::map<std::string, double>& metrics) {
  const auto no_value = [](const std::string& found, const std::string& expected) {
    return Failure{FailureCause::no_value,
                   "\"metrics\": found " + found + ", expected " + expected};
  };
  if (!json.is_object()) return no_value(excerpt(json), "an object of numbers by name");
  if (json.size() > kMostMetrics) {
    return no_value(std::to_string(json.size()) + " metrics",
                    "at most " + std::to_string(kMostMetrics));
  }
  for (const auto& item : json.items()) {
    if (item.key().empty() || item.key().size() > kLongestMetricName) {
      return no_value("the name \"" + excerpt(std::string_view(item.key())) + "\"",
                      "a name of 1 to " + std::to_string(kLongestMetricName) + " bytes");
    }
    const std::optional<double> value = number_from(item.value());
    if (!value) {
      return no_value(excerpt(item.value()) + " for \"" + item.key() + "\"", "a number");
    }
    if (!std::isfinite(*value)) {
      return Failure{FailureCause::non_finite, "the metric \"" + item.key() + "\" is " +
                                                   to_string(Value(*value)) +
                                                   ", not a finite number"};
    }
    metrics[item.key()] = *value + 0.0;  // -0 becomes 0, as for values
  }
  return std::nullopt;
}

// One number for one objective, {"name": number, ...} for several. REQUIRES: one per objective.
Json by_objective(std::span<const Objective> objectives, const std::vector<double>& numbers) {
  if (objectives.size() < 2) return numbers.front();
  Json json = Json::object();
  for (std::size_t m = 0; m < objectives.size(); ++m) json[objectives[m].name] = numbers[m];
  return json;
}

// What by_objective() wrote; the text says what is wrong with it.
std::variant<std::vector<double>, std::string> numbers_from(const Json& json,
                                                            const std::string& key,
                                                            std::span<const Objective> objectives) {
  const std::string where = '"' + key + "\" is ";
  if (objectives.size() < 2) {
    if (const auto number = number_from(json)) return std::vector<double>{*number};
    return where + excerpt(json) + ", expected a number";
  }
  std::vector<std::string> names;
  std::string list;
  for (const Objective& objective : objectives) {
    names.push_back(objective.name);
    list += (list.empty() ? "\"" : ", \"") + objective.name + "\"";
  }
  if (!json.is_object()) {
    return where + excerpt(json) + ", expected an object with a number for each of " + list;
  }
  for (const auto& item : json.items()) {
    if (std::ranges::find(names, item.key()) != names.end()) continue;
    return '"' + key + "\" has \"" + excerpt(std::string_view(item.key())) +
           "\", which is no objective" + suggestion(item.key(), names);
  }
  std::vector<double> numbers;
  for (const std::string& name : names) {
    const auto found = json.find(name);
    if (found == json.end()) {
      return '"' + key + "\" has no \"" + name + "\", expected a number for each of " + list;
    }
    const std::optional<double> number = number_from(*found);
    if (!number) return '"' + name + "\" in " + where + excerpt(*found) + ", expected a number";
    numbers.push_back(*number);
  }
  return numbers;
}

void add_values(Json& json, const Trial& trial, std::span<const Objective> objectives) {
  const std::string key = objectives.size() < 2 ? "value" : "values";
  json[key] = trial.values.empty() ? Json() : by_objective(objectives, trial.values);
  if (trial.standard_error.empty()) return;
  json["sem"] = by_objective(objectives, trial.standard_error);
}

void add_feasibility(Json& json, const Space& space, const Trial& trial) {
  if (space.limits().empty()) return;
  json["feasible"] = trial.values.empty() ? Json() : Json(is_feasible(space, trial));
  json["violation"] =
      trial.values.empty() ? Json() : json_of(violation(space.limits(), trial.metrics));
}

void add_repeat(Json& json, const Trial& trial) {
  if (trial.rationale.repeat_of == 0) return;
  json["repeat_of"] = trial.rationale.repeat_of;
  json["repeat"] = trial.rationale.repeat;
}

}  // namespace

Json suggestion_json(const Space& space, const Trial& trial) {
  Json json = {{"id", trial.id}, {"params", json_of(space, trial.point)}};
  add_repeat(json, trial);
  return json;
}

Json best_json(const Space& space, const std::optional<Trial>& trial,
               std::span<const Objective> objectives) {
  if (!trial) return nullptr;
  Json json = suggestion_json(space, *trial);
  add_values(json, *trial, objectives);
  if (!trial->metrics.empty()) json["metrics"] = trial->metrics;
  add_feasibility(json, space, *trial);
  return json;
}

Json trial_json(const Space& space, const Trial& trial, std::span<const Objective> objectives) {
  Json json = {
      {"id", trial.id}, {"state", to_string(trial.state)}, {"params", json_of(space, trial.point)}};
  add_values(json, trial, objectives);
  json["seconds"] = trial.seconds;
  json["error"] = trial.failure ? Json(trial.failure->message) : Json();
  json["cause"] = trial.failure ? Json(to_string(trial.failure->cause)) : Json();
  json["attempts"] = trial.attempts;
  json["stderr"] = trial.stderr_tail;
  json["metrics"] = Json::object();
  for (const auto& [name, value] : trial.metrics) json["metrics"][name] = value;
  // 0 is "not known".
  json["asked_at"] = trial.asked_at > 0.0 ? Json(trial.asked_at) : Json();
  json["started_at"] = trial.started_at > 0.0 ? Json(trial.started_at) : Json();
  json["finished_at"] = trial.finished_at > 0.0 ? Json(trial.finished_at) : Json();
  json["worker"] = trial.worker;
  json["suggested"] = trial.suggested ? json_of(space, *trial.suggested) : Json();
  if (!trial.attributes.empty()) {
    if (Result<Json> attributes = parse_json(trial.attributes)) {
      json["user_attrs"] = std::move(*attributes);
    }
  }
  add_repeat(json, trial);
  add_feasibility(json, space, trial);
  return json;
}

Outcome outcome_from(const Json& object, std::span<const Objective> objectives) {
  if (const auto error = object.find("error"); error != object.end() && !error->is_null()) {
    return Outcome::failed(FailureCause::reported,
                           error->is_string() ? error->get<std::string>() : excerpt(*error));
  }
  const std::string key = objectives.size() < 2 ? "value" : "values";
  const auto found = object.find(key);
  if (found == object.end()) {
    return Outcome::failed(FailureCause::no_value,
                           "found " + excerpt(object) + ", expected \"" + key + "\" in it");
  }
  auto values = numbers_from(*found, key, objectives);
  if (const auto* wrong = std::get_if<std::string>(&values)) {
    return Outcome::failed(FailureCause::no_value, *wrong);
  }
  Outcome outcome = outcome_of(std::get<0>(std::move(values)), objectives);
  if (outcome.failure) return outcome;
  if (const auto sem = object.find("sem"); sem != object.end() && !sem->is_null()) {
    auto errors = numbers_from(*sem, "sem", objectives);
    if (const auto* wrong = std::get_if<std::string>(&errors)) {
      return Outcome::failed(FailureCause::no_value, *wrong);
    }
    outcome.standard_error = std::get<0>(std::move(errors));
    const auto possible = [](double error) { return std::isfinite(error) && error >= 0.0; };
    if (!std::ranges::all_of(outcome.standard_error, possible)) {
      return Outcome::failed(FailureCause::no_value, "\"sem\" is " + excerpt(*sem) +
                                                         ", expected a standard error, 0 or more");
    }
  }
  if (const auto attributes = object.find("user_attrs");
      attributes != object.end() && attributes->is_object() && !attributes->empty()) {
    outcome.attributes = dump(*attributes);
  }
  const auto metrics = object.find("metrics");
  if (metrics == object.end() || metrics->is_null()) return outcome;
  if (std::optional<Failure> wrong = read_metrics(*metrics, outcome.metrics)) {
    return {.failure = std::move(wrong)};
  }
  return outcome;
}

}  // namespace vbo

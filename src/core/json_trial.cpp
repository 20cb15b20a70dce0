// SPDX-License-Identifier: MIT
// Trials as others see them, and the answers of those who evaluate them.
#include <cmath>
#include <map>

#include "core/json.hpp"
#include "core/limits.hpp"

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

void add_feasibility(Json& json, const Space& space, const Trial& trial) {
  if (space.limits().empty()) return;
  json["feasible"] = trial.value ? Json(is_feasible(space, trial)) : Json();
  json["violation"] = trial.value ? json_of(violation(space.limits(), trial.metrics)) : Json();
}

}  // namespace

Json suggestion_json(const Space& space, const Trial& trial) {
  return {{"id", trial.id}, {"params", json_of(space, trial.point)}};
}

Json best_json(const Space& space, const std::optional<Trial>& trial) {
  if (!trial) return nullptr;
  Json json = suggestion_json(space, *trial);
  json["value"] = trial->value ? Json(*trial->value) : Json();
  if (!trial->metrics.empty()) json["metrics"] = trial->metrics;
  add_feasibility(json, space, *trial);
  return json;
}

Json trial_json(const Space& space, const Trial& trial) {
  Json json = {{"id", trial.id},
               {"state", to_string(trial.state)},
               {"params", json_of(space, trial.point)},
               {"value", trial.value ? Json(*trial.value) : Json()},
               {"seconds", trial.seconds},
               {"error", trial.failure ? Json(trial.failure->message) : Json()},
               {"cause", trial.failure ? Json(to_string(trial.failure->cause)) : Json()},
               {"attempts", trial.attempts},
               {"stderr", trial.stderr_tail},
               {"metrics", Json::object()}};
  for (const auto& [name, value] : trial.metrics) json["metrics"][name] = value;
  // 0 is "not known".
  json["asked_at"] = trial.asked_at > 0.0 ? Json(trial.asked_at) : Json();
  json["started_at"] = trial.started_at > 0.0 ? Json(trial.started_at) : Json();
  json["finished_at"] = trial.finished_at > 0.0 ? Json(trial.finished_at) : Json();
  json["worker"] = trial.worker;
  json["suggested"] = trial.suggested ? json_of(space, *trial.suggested) : Json();
  add_feasibility(json, space, trial);
  return json;
}

Outcome outcome_from(const Json& object) {
  if (const auto error = object.find("error"); error != object.end() && !error->is_null()) {
    return Outcome::failed(FailureCause::reported,
                           error->is_string() ? error->get<std::string>() : excerpt(*error));
  }
  const auto found = object.find("value");
  if (found == object.end()) {
    return Outcome::failed(FailureCause::no_value,
                           "found " + excerpt(object) + ", expected \"value\" in it");
  }
  const std::optional<double> value = number_from(*found);
  if (!value) {
    return Outcome::failed(FailureCause::no_value,
                           "\"value\" is " + excerpt(*found) + ", expected a number");
  }
  Outcome outcome = Outcome::of(*value);
  const auto metrics = object.find("metrics");
  if (outcome.failure || metrics == object.end() || metrics->is_null()) return outcome;
  if (std::optional<Failure> wrong = read_metrics(*metrics, outcome.metrics)) {
    return {.failure = std::move(wrong)};
  }
  return outcome;
}

}  // namespace vbo

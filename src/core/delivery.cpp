// SPDX-License-Identifier: MIT
#include "core/delivery.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/actual.hpp"
#include "core/json.hpp"

namespace vbo {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30U;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// What makes two results the same one.
std::string key_of(const Point& point, const std::vector<double>& values) {
  std::string key;
  for (const Value& v : point) key += to_string(v) + '\n';
  for (const double value : values) key += to_string(Value(value + 0.0)) + '\n';
  return key + (values.empty() ? "failed" : "");
}

std::vector<Step> steps_from(const Json& list) {
  std::vector<Step> steps;
  for (const Json& entry : list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer()) continue;
    Step& step = steps.emplace_back(Step{.step = entry[0].get<std::int64_t>()});
    for (const Json& number : entry[1]) step.values.push_back(number_from(number).value_or(0.0));
  }
  return steps;
}

}  // namespace

std::string delivery_text(const Space& space, const Delivery& delivery) {
  Json list = Json::array();
  for (const Evaluated& result : delivery.results) {
    Json entry = {{"params", json_of(space, result.point)}, {"seconds", result.outcome.seconds}};
    if (result.as_measured) entry["as_measured"] = true;
    for (const Step& step : result.outcome.steps) {
      entry["steps"].push_back(Json::array({step.step, step.values}));
    }
    if (!result.outcome.attributes.empty()) entry["attributes"] = result.outcome.attributes;
    if (result.outcome.failure) {
      entry["error"] = result.outcome.failure->message;
      entry["cause"] = to_string(result.outcome.failure->cause);
    } else {
      entry["value"] = json_of(result.outcome.value());
      entry["values"] = result.outcome.values;
      if (!result.outcome.standard_error.empty()) {
        entry["standard_error"] = result.outcome.standard_error;
      }
      if (!result.outcome.metrics.empty()) entry["metrics"] = result.outcome.metrics;
    }
    list.push_back(std::move(entry));
  }
  Json json = {{"once", delivery.once}, {"results", std::move(list)}};
  if (!delivery.start.empty()) json["start"] = start_text(space, delivery.start);
  return dump(json);
}

Result<Delivery> delivery_from(const Space& space, std::string_view text) {
  const Result<Json> json = parse_json(text, kLargest);
  if (!json) return json.error();
  const Error damaged{ErrorKind::damaged, "the results that were brought are not whole"};
  if (!json->is_object() || !json->contains("results") || !(*json)["results"].is_array()) {
    return damaged;
  }
  Delivery delivery;
  delivery.once = json->value("once", false);
  if (const auto start = json->find("start"); start != json->end() && start->is_string()) {
    Result<std::vector<PartialPoint>> points = start_from(space, start->get<std::string>());
    if (!points) return points.error();
    delivery.start = std::move(*points);
  }
  for (const Json& entry : (*json)["results"]) {
    if (!entry.is_object() || !entry.contains("params")) return damaged;
    const bool as_measured = entry.contains("as_measured");
    Result<Point> point =
        as_measured ? actual_from(space, entry["params"]) : point_from(space, entry["params"]);
    if (!point) return point.error();
    Outcome outcome = outcome_from(entry);
    if (outcome.failure && entry.contains("cause") && entry["cause"].is_string()) {
      const auto cause = failure_cause_from(entry["cause"].get<std::string>());
      outcome.failure->cause = cause.value_or(outcome.failure->cause);
    }
    if (!outcome.failure) {
      for (const auto& [key, into] : {std::pair("values", &outcome.values),
                                      std::pair("standard_error", &outcome.standard_error)}) {
        const auto list = entry.find(key);
        if (list == entry.end()) continue;
        into->clear();
        for (const Json& number : *list) into->push_back(number_from(number).value_or(kMissing));
      }
    }
    if (entry.contains("steps")) outcome.steps = steps_from(entry["steps"]);
    if (const auto text = entry.find("attributes"); text != entry.end() && text->is_string()) {
      outcome.attributes = text->get<std::string>();
    }
    if (entry.contains("seconds")) outcome.seconds = number_from(entry["seconds"]).value_or(0.0);
    delivery.results.push_back({std::move(*point), std::move(outcome), as_measured});
  }
  return delivery;
}

std::string start_text(const Space& space, const std::vector<PartialPoint>& start) {
  if (start.empty()) return "";
  Json list = Json::array();
  for (const PartialPoint& point : start) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (point[i]) entry[space[i].name] = json_of(*point[i]);
    }
    list.push_back(std::move(entry));
  }
  return dump(list);
}

Result<std::vector<PartialPoint>> start_from(const Space& space, std::string_view text) {
  std::vector<PartialPoint> start;
  if (text.empty()) return start;
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  for (const Json& entry : *json) {
    PartialPoint& point = start.emplace_back(space.size());
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (!entry.is_object() || !entry.contains(space[i].name)) continue;
      Result<Value> value = value_from(space[i], entry[space[i].name]);
      if (!value) return value.error();
      point[i] = std::move(*value);
    }
  }
  return start;
}

std::vector<Evaluated> without_known(std::vector<Evaluated> results,
                                     const std::vector<Trial>& stored) {
  std::unordered_map<std::string, int> known;
  for (const Trial& trial : stored) {
    if (trial.has_ended()) ++known[key_of(trial.point, trial.values)];
  }
  if (known.empty()) return results;
  std::erase_if(results, [&](const Evaluated& result) {
    const auto found = known.find(key_of(result.point, result.outcome.values));
    return found != known.end() && found->second-- > 0;
  });
  return results;
}

}  // namespace vbo

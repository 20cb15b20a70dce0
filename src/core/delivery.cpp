// SPDX-License-Identifier: MIT
#include "core/delivery.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/json.hpp"

namespace vbo {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30U;

// What makes two results the same one.
std::string key_of(const Point& point, const std::optional<double>& value) {
  std::string key;
  for (const Value& v : point) key += to_string(v) + '\n';
  return key + (value ? to_string(Value(*value + 0.0)) : "failed");
}

}  // namespace

std::string delivery_text(const Space& space, const Delivery& delivery) {
  Json list = Json::array();
  for (const Evaluated& result : delivery.results) {
    Json entry = {{"params", json_of(space, result.point)}, {"seconds", result.outcome.seconds}};
    if (result.outcome.failure) {
      entry["error"] = result.outcome.failure->message;
      entry["cause"] = to_string(result.outcome.failure->cause);
    } else {
      entry["value"] = json_of(result.outcome.value);
      if (!result.outcome.metrics.empty()) entry["metrics"] = result.outcome.metrics;
    }
    list.push_back(std::move(entry));
  }
  return dump({{"once", delivery.once}, {"results", std::move(list)}});
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
  for (const Json& entry : (*json)["results"]) {
    if (!entry.is_object() || !entry.contains("params")) return damaged;
    Result<Point> point = point_from(space, entry["params"]);
    if (!point) return point.error();
    Outcome outcome = outcome_from(entry);
    if (outcome.failure && entry.contains("cause") && entry["cause"].is_string()) {
      const auto cause = failure_cause_from(entry["cause"].get<std::string>());
      outcome.failure->cause = cause.value_or(outcome.failure->cause);
    }
    if (entry.contains("seconds")) outcome.seconds = number_from(entry["seconds"]).value_or(0.0);
    delivery.results.push_back({std::move(*point), std::move(outcome)});
  }
  return delivery;
}

std::vector<Evaluated> without_known(std::vector<Evaluated> results,
                                     const std::vector<Trial>& stored) {
  std::unordered_map<std::string, int> known;
  for (const Trial& trial : stored) {
    if (trial.value || trial.failure) ++known[key_of(trial.point, trial.value)];
  }
  if (known.empty()) return results;
  std::erase_if(results, [&](const Evaluated& result) {
    const auto found = known.find(key_of(result.point, result.outcome.value));
    return found != known.end() && found->second-- > 0;
  });
  return results;
}

}  // namespace vbo

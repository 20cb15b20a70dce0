// SPDX-License-Identifier: MIT
#include "web/telling.hpp"

#include <algorithm>

#include "core/limits.hpp"

namespace vbo::web {
namespace {

// {"temperature": 36.2} as NAME=VALUE.
Result<std::vector<std::string>> assignments_in(const Json& json) {
  if (!json.is_object()) return wrong_field("actual", "an object of values by parameter");
  std::vector<std::string> all;
  for (const auto& item : json.items()) {
    const Json& value = item.value();
    if (value.is_structured() || value.is_null()) {
      return wrong_field("actual." + item.key(), "a number, a text, true or false");
    }
    all.push_back(item.key() + "=" + (value.is_string() ? value.get<std::string>() : dump(value)));
  }
  return all;
}

Result<void> check_numbers(const Json& json, const std::string& field) {
  if (!json.is_object()) return wrong_field(field, "an object of numbers");
  for (const auto& item : json.items()) {
    if (!item.value().is_number()) return wrong_field(field + "." + item.key(), "a number");
  }
  return {};
}

// The outcome in the body, whose id is still missing.
Result<Outcome> outcome_in(const Json& json, const StudyRecord& record) {
  const bool several = record.objectives.size() > 1;
  const std::string key = several ? "values" : "value";
  if (json.contains(key) == json.contains("error")) {
    return wrong_field(key, several ? "either values or an error" : "either a value or an error");
  }
  if (json.contains("error")) {
    if (!json["error"].is_string()) return wrong_field("error", "text");
    return Outcome::failed(FailureCause::reported, json["error"].get<std::string>());
  }
  if (!several && !json[key].is_number()) return wrong_field(key, "a number");
  if (several) {
    if (const auto checked = check_numbers(json[key], key); !checked) return checked.error();
  }
  if (json.contains("metrics")) {
    const auto checked = check_numbers(json["metrics"], "metrics");
    if (!checked) return checked.error();
  }
  Outcome outcome = outcome_from(json, record.objectives);
  if (outcome.failure) return Error{ErrorKind::invalid_input, outcome.failure->message, key};
  if (const auto complete = check_metrics(record.space, outcome.metrics); !complete) {
    return complete.error();
  }
  return outcome;
}

}  // namespace

Error wrong_field(const std::string& field, const std::string& right) {
  return {ErrorKind::invalid_input, "field \"" + field + "\": expected " + right, field};
}

Result<Json> object_in(const std::string& body) {
  Result<Json> json = parse_json(body);
  if (!json) return json.error();
  if (!json->is_object()) return Error{ErrorKind::invalid_input, "expected a JSON object"};
  return json;
}

Result<Telling> telling_from(const std::string& body, const StudyRecord& record) {
  const Result<Json> parsed = object_in(body);
  if (!parsed) return parsed.error();
  const Json& json = *parsed;
  const std::string value = record.objectives.size() > 1 ? "values" : "value";
  const std::vector<std::string> known = {"id",    value, "sem",    "metrics",
                                          "error", "at",  "actual", "replace"};
  for (const auto& item : json.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    return Error{ErrorKind::invalid_input,
                 "field \"" + item.key() + "\" is unknown; expected " + list, item.key()};
  }
  if (json.contains("id") == json.contains("at")) {
    return wrong_field("id", "either the id of a suggestion, or \"at\": a point nobody suggested");
  }
  if (json.contains("id") && !json["id"].is_number_integer()) {
    return wrong_field("id", "the id of a suggestion");
  }
  Telling telling;
  Result<Outcome> outcome = outcome_in(json, record);
  if (!outcome) return outcome.error();
  telling.outcome = std::move(*outcome);
  if (json.contains("at")) {
    if (json.contains("actual") || json.contains("replace")) {
      return wrong_field(json.contains("actual") ? "actual" : "replace",
                         "an id beside it, not a point nobody suggested");
    }
    Result<Point> point = point_from(record.space, json["at"]);
    if (!point) return point.error();
    telling.at = std::move(*point);
    return telling;
  }
  telling.outcome.id = json["id"].get<TrialId>();
  if (json.contains("actual")) {
    Result<std::vector<std::string>> actual = assignments_in(json["actual"]);
    if (!actual) return actual.error();
    telling.actual = std::move(*actual);
  }
  if (json.contains("replace")) {
    if (!json["replace"].is_string() || json["replace"].get<std::string>().empty()) {
      return wrong_field("replace", "why the result takes the place of the one there is");
    }
    telling.replace = json["replace"].get<std::string>();
  }
  return telling;
}

}  // namespace vbo::web

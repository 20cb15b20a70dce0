// SPDX-License-Identifier: MIT
// Everything that is written as JSON, in one place: storage, study files, the command line and the
// page share these shapes. Numbers read back bit for bit. Where a number may be infinite or not a
// number (rationales, reports), JSON has no word for it and we write "inf", "-inf" or "nan".
// Functions that read take untrusted text and answer with an Error that has its field; nothing here
// throws, and nothing recurses deeper than kDeepestJson.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

using Json = nlohmann::ordered_json;

inline constexpr int kDeepestJson = 64;  // arrays and objects in another
inline constexpr std::size_t kLargestJson = std::size_t{64} << 20U;  // bytes
inline constexpr std::size_t kMostMetrics = 256;
inline constexpr std::size_t kLongestMetricName = 128;  // bytes

// 1.5, or "inf", "-inf", "nan".
Json json_of(double number);
Json json_of(const std::optional<double>& number);  // null when there is none
Json json_of(const Value& value);
// [{"name","type":"float"|"int"|"categorical"|"ordinal","low","high","log","step","choices","values"},
// ...], each with the keys its type has; {"parameters": [...], "constraints": ["..."], "limits":
// [...]} with constraints or limits, "limits" only when there are some
Json json_of(const Space& space);
// [{"metric", "at_most", "at_least"}, ...], each with the bounds it has
Json limits_json(const Space& space);
// [{"name", "goal", "reference"}, ...], without "reference" where there is none
Json json_of(const std::vector<Objective>& objectives);
// {"x1": 0.5, "depth": 3, "kind": "adam"}, in the order of the space. REQUIRES: space.check(point).
Json json_of(const Space& space, const Point& point);
// {"method","seed","batch","budget","settings":{...}}, "repeats" when it is not 1; threads is left
// out.
Json json_of(const OptimizerOptions& options);
// {"source","acquisition":number|null,"terms":[[name, number], ...],"notes":[...]}, "origin" when
// it is not the method, "part" when the method says, "repeat_of" and "repeat" of a repeat
Json json_of(const Rationale& rationale);
// {"round","information":{"predicted"|null,"observed"|null,"ceiling"|null}|null,"exploitation","deviation",
//  "values":[[name, number], ...],"message","recommendation":{"id","mean","deviation"}|null}
Json json_of(const AskReport& report);

// {"id", "params"}: what a suggestion is to those who evaluate it; "repeat_of" and "repeat" when it
// repeats the point of an earlier trial.
Json suggestion_json(const Space& space, const Trial& trial);
// {"id", "params", "value"}, "metrics" when there are any, "feasible" and "violation" when the
// space has limits; null without a trial.
Json best_json(const Space& space, const std::optional<Trial>& trial,
               std::span<const Objective> objectives = {});
// {"id","state","params","value","seconds","error","cause","attempts","stderr","metrics"}, and
// with limits "feasible" and "violation", null unless completed; "sem" where it is known,
// "repeat_of" and "repeat" of a repeat
Json trial_json(const Space& space, const Trial& trial, std::span<const Objective> objectives = {});

// All text from outside goes through here: refused before it is parsed when it is longer than
// `largest` or nested deeper than kDeepestJson, for the parser's destructor and dump() recurse.
Result<Json> parse_json(std::string_view text, std::size_t largest = kLargestJson);
// The number json_of(double) wrote; nullopt when it is none.
std::optional<double> number_from(const Json& json);
Result<Value> value_from(const Parameter& parameter, const Json& json);
// {"value": 1.25, "sem": 0.1, "metrics": {"stress": 240.0}} or {"error": "why"}: what an evaluator
// answers; with two objectives or more {"values": {"cost": 1.25, "mass": 7.0}, "sem": {...}, ...}.
// What is wrong with an answer makes it a failed Outcome; it is never an error. REQUIRES: an
// object.
Outcome outcome_from(const Json& object, std::span<const Objective> objectives = {});
Result<Space> space_from(const Json& json);
// One to kMostObjectives, with different names and finite references.
Result<std::vector<Objective>> objectives_from(const Json& json);
// Every parameter once, nothing else, inside its bounds.
Result<Point> point_from(const Space& space, const Json& json);
Result<OptimizerOptions> optimizer_options_from(const Json& json);
Result<Rationale> rationale_from(const Json& json);
// Also the form before there was "information", which stood among the values then.
Result<AskReport> ask_report_from(const Json& json);

// Compact text cut to fit a message.
std::string excerpt(const Json& json);
std::string excerpt(std::string_view text);

// Compact text. Bytes that are not UTF-8 become U+FFFD, so it never fails.
std::string dump(const Json& json);
// Compact text, or an invalid_input error naming the bytes that are not UTF-8.
Result<std::string> dump_exact(const Json& json);

}  // namespace vbo

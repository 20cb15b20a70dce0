// SPDX-License-Identifier: MIT
// Everything that is written as JSON, in one place: storage, study files, the command line and the
// page share these shapes. Numbers read back bit for bit. Where a number may be infinite or not a
// number (rationales, reports), JSON has no word for it and we write "inf", "-inf" or "nan".
// Functions that read take untrusted text and answer with an Error; nothing here throws.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

using Json = nlohmann::ordered_json;

// 1.5, or "inf", "-inf", "nan".
Json json_of(double number);
Json json_of(const std::optional<double>& number);  // null when there is none
Json json_of(const Value& value);
// [{"name","type":"float"|"int"|"categorical","low","high","log","choices"}, ...]
Json json_of(const Space& space);
// {"x1": 0.5, "depth": 3, "kind": "adam"}, in the order of the space. REQUIRES: space.check(point).
Json json_of(const Space& space, const Point& point);
// {"method","seed","batch","budget","settings":{...}}; threads is left out.
Json json_of(const OptimizerOptions& options);
// {"source","acquisition":number|null,"terms":[[name, number], ...],"notes":[...]}
Json json_of(const Rationale& rationale);
// {"round","information":{"expected","realized","ceiling"}|null,"exploitation","deviation",
//  "values":[[name, number], ...],"message","recommendation":{"id","mean","deviation"}|null}
Json json_of(const AskReport& report);

Result<Json> parse_json(std::string_view text);
Result<Space> space_from(const Json& json);
// Every parameter once, nothing else, inside its bounds.
Result<Point> point_from(const Space& space, const Json& json);
Result<OptimizerOptions> optimizer_options_from(const Json& json);
Result<Rationale> rationale_from(const Json& json);
// Also the form before there was "information", which stood among the values then.
Result<AskReport> ask_report_from(const Json& json);

// Compact text. Bytes that are not UTF-8 become U+FFFD, so it never fails.
std::string dump(const Json& json);
// Compact text, or an invalid_input error naming the bytes that are not UTF-8.
Result<std::string> dump_exact(const Json& json);

}  // namespace vbo

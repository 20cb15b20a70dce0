// SPDX-License-Identifier: MIT
// Points and numbers as text for people, and JSON on standard output. What the JSON of a trial is,
// core/json.hpp says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/objectives.hpp"
#include "vbo/front.hpp"
#include "vbo/report.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

// In CSV, written or read, a column of metrics is called "metrics.NAME".
inline constexpr std::string_view kMetricPrefix = "metrics.";
inline constexpr std::string_view kValuePrefix = "values.";      // where a name is another column's
inline constexpr std::string_view kParameterPrefix = "params.";  // likewise
inline constexpr std::string_view kSuggestedPrefix = "suggested.";
inline constexpr std::string_view kErrorPrefix = "sem.";  // of several objectives

void print_json(const Json& json);  // to standard output

// "x1 = 0.5", one per line, each line indented.
std::string point_lines(const Space& space, const Point& point, std::string_view indent);
// "stress = 240, at most 250", one per limit of the space, with what is violated.
std::string limit_lines(const Space& space, const Trial& trial, std::string_view indent);
// Parameters at one of their bounds, a line each.
std::string bound_lines(const Space& space, const Point& point, std::string_view indent);
// What is known about noise and about the recommended point, each line indented; "" when nothing.
std::string estimate_lines(const Estimate& estimate, std::string_view indent);
// With noise, which single result is better than the recommended point's; "" without.
std::string luckiest_line(const std::optional<Trial>& luckiest, std::string_view indent);
// "35% likely to bring a better result, then by about 0.02 (1.2% of the spread)".
std::string outlook_text(const Outlook& outlook);
// "x1 = 0.5, x2 = 1" on one line.
std::string point_text(const Space& space, const Point& point);

// "0.07", or "error = 0.07, speed = 12.1". `number` writes each.
std::string values_text(const std::vector<Objective>& objectives, const std::vector<double>& values,
                        std::string (*number)(double));
// 0.07, or {"error": 0.07, "speed": 12.1}; null without values. Its key is "value" or "values".
Json values_json(const std::vector<Objective>& objectives, const std::vector<double>& values);
std::string_view values_key(const std::vector<Objective>& objectives);
// Trials of a front as a table, the best in the first objective first.
std::string front_table(const Space& space, const Front& front);
// A few of them, spread over all; without the parameters where those make lines too long.
std::string short_front_table(const Space& space, const Front& front);

std::string number_text(double value);      // shortest text that reads back exactly
std::string short_number(double value);     // six significant digits
std::string duration_text(double seconds);  // "0.21 s", "42 s", "3 min 20 s", "5 h 02 min"
// Seconds since 1970 as "2024-05-17T08:30:00.250Z"; "" for 0, which is "not known".
std::string time_text(double seconds);

}  // namespace vbo::cli

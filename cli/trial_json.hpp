// SPDX-License-Identifier: MIT
// Trials as JSON and as text for people. The JSON fields are part of the documented interface.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

using Json = nlohmann::ordered_json;

void print_json(const Json& json);  // to standard output

Json params_of(const Space& space, const Point& point);                 // {"x1": 0.5, ...}
Json suggestion_json(const Space& space, const Trial& trial);           // {"id","params"}
Json best_json(const Space& space, const std::optional<Trial>& trial);  // {"id","params","value"}
Json trial_json(const Space& space, const Trial& trial);                // everything

// "x1 = 0.5", one per line, each line indented.
std::string point_lines(const Space& space, const Point& point, std::string_view indent);
// "x1 = 0.5, x2 = 1" on one line.
std::string point_text(const Space& space, const Point& point);

std::string number_text(double value);      // shortest text that reads back exactly
std::string short_number(double value);     // six significant digits
std::string duration_text(double seconds);  // "0.21 s", "42 s", "3 min 20 s", "5 h 02 min"

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "core/objectives.hpp"

#include <algorithm>
#include <cmath>

#include "core/one_line.hpp"
#include "vbo/space.hpp"

namespace vbo {

bool is_objective_name(std::string_view name) {
  const auto allowed = [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '=' && c != ',' && c != '"' && c != '\x7f';
  };
  return !name.empty() && name.size() <= kLongestObjectiveName &&
         std::ranges::all_of(name, allowed);
}

std::string goals_text(std::span<const Objective> objectives) {
  std::string text;
  for (const Objective& objective : objectives) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(objective.goal));
    if (objectives.size() > 1) text += " " + one_line(objective.name);
  }
  return text;
}

Outcome outcome_of(std::vector<double> values, std::span<const Objective> objectives) {
  if (objectives.size() > 1) {
    for (std::size_t m = 0; m < values.size(); ++m) {
      if (std::isfinite(values[m])) continue;
      return Outcome::failed(FailureCause::non_finite, "the value of \"" + objectives[m].name +
                                                           "\" is " + to_string(Value(values[m])) +
                                                           ", not a finite number");
    }
  }
  return Outcome::of(std::move(values));
}

}  // namespace vbo

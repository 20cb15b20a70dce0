// SPDX-License-Identifier: MIT
// What is common to all who name objectives: how many there may be, what they may be called, and
// how messages name them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/outcome.hpp"

namespace vbo {

inline constexpr std::size_t kMostObjectives = 8;
inline constexpr std::size_t kLongestObjectiveName = 128;  // bytes

// They stand in `--value NAME=...` and at the head of columns.
inline constexpr const char* kObjectiveNames = "a text of 1 to 128 bytes without = , and \"";
bool is_objective_name(std::string_view name);

// "minimize", or "minimize error, maximize speed".
std::string goals_text(std::span<const Objective> objectives);

// As Outcome::of(values), where the message names the objective whose value is not finite.
// REQUIRES: one value per objective.
Outcome outcome_of(std::vector<double> values, std::span<const Objective> objectives);

}  // namespace vbo

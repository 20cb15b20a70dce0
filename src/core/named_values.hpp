// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "vbo/outcome.hpp"

namespace vbo {

// As Outcome::of(values), where the message names the objective whose value is not finite.
// REQUIRES: one value per objective.
Outcome outcome_of(std::vector<double> values, std::span<const Objective> objectives);

}  // namespace vbo

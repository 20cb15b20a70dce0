// SPDX-License-Identifier: MIT
// Where a study stands and how far its results spread: computed here alone, for all who show it.
#pragma once

#include <string>

#include "vbo/report.hpp"

namespace vbo {

// From the best feasible result to the one that three quarters of them are as good as; the worst
// quarter may be penalties. 0 without feasible results. REQUIRES: one objective.
double spread_of(const StudyReport& report);

inline constexpr double kNegligibleShare = 0.01;  // of the spread

StudyState state_of(const StudyReport& report);

// The name of the state, and of `converged` what it means: a better result may still be likely,
// only its gain is negligible. With a front, gains are those of the hypervolume.
std::string explained(StudyState state, bool has_front);

}  // namespace vbo

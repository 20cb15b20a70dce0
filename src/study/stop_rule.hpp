// SPDX-License-Identifier: MIT
// Stops when the predicted information is low.
#pragma once

#include <span>

#include "vbo/study.hpp"

namespace vbo {

// True when there are at least rule.rounds reports and in the last rule.rounds of them
//   information.predicted < rule.information   in every one, and
//   exploitation is flat: max - min <= 0.05 max(|max|, |min|), where it is reported.
// A method that reports no information is never stopped. Rounds of the initial design, which
// report neither, do not count.
bool nothing_left_to_learn(std::span<const RoundReport> reports, const StopRule& rule);

}  // namespace vbo

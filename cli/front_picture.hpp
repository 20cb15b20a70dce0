// SPDX-License-Identifier: MIT
// The front of two objectives as characters, and what moving along it costs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "vbo/error.hpp"
#include "vbo/report.hpp"
#include "vbo/trade_offs.hpp"

namespace vbo::cli {

// The positions of two objectives: those named, or the first two. An error names what is wrong.
Result<std::array<std::size_t, 2>> pair_of(const std::vector<Objective>& objectives,
                                           const std::vector<std::string>& names);

// Members of the front are diamonds, its knee is K, the best in each objective its number; behind
// them dots of what is dominated.
// REQUIRES for both: a front with a trial.
std::string front_picture(const StudyReport& report, const TradeOffs& trade_offs,
                          const std::array<std::size_t, 2>& pair, const Console& console);
// A line per stop along the front of the two.
std::string trade_off_text(const Front& front, const TradeOffs& trade_offs,
                           const std::array<std::size_t, 2>& pair);

}  // namespace vbo::cli

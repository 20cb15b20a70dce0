// SPDX-License-Identifier: MIT
// What choosing among the trials of a front costs. Values are in the user's own sign.
// Stability: a minor version of 0.x may change it.
// Threads: plain values; functions may run at the same time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "vbo/front.hpp"

namespace vbo {

// Trials along the front of two objectives alone, from the best in `first` to the best in `second`.
struct TradeOff {
  struct Stop {
    TrialId id = 0;
    double first = 0.0, second = 0.0;
    // What one unit of `first` given up buys of `second` on the way to the next stop: positive, and
    // nothing at the last one.
    std::optional<double> buys;
  };
  std::size_t first = 0, second = 0;  // positions in the study's objectives; first < second
  std::vector<Stop> stops;            // at most kMostStops, the ends among them
};

inline constexpr std::size_t kMostStops = 7;

struct TradeOffs {
  // One trial per objective: the best in it; among equals the best in all others together.
  std::vector<TrialId> extremes;
  // The trial with the smallest sum of objectives, each scaled to its range on the front (0 best, 1
  // worst). Nothing where that is an extreme, or where the front of two objectives lies nowhere
  // below the line between its extremes.
  std::optional<TrialId> knee;
  std::vector<TradeOff> pairs;  // one per pair of objectives
};

// Empty for an empty front and for a single objective.
TradeOffs trade_offs_of(const Front& front);

}  // namespace vbo

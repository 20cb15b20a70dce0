// SPDX-License-Identifier: MIT
// Where a point stands against what bounds it: the measured limits, with the distance to each, and
// the bounds of its numeric parameters. Tells which of them keep a result from being better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// One limit at one result.
struct LimitAt {
  Limit limit;
  std::optional<double> measured;  // nothing: the metric is missing
  double room = 0.0;               // to the nearest bound, in units of the metric; negative outside
  bool holds() const { return measured && room >= 0.0; }
  // Closer to the bound than 1% of it (of the interval, where there are two).
  bool active = false;
};

// A real or integer parameter whose value is its bound, or within 1% of its range from it.
struct AtBound {
  std::string parameter;
  double bound = 0.0;
  bool upper = false;
};

std::vector<LimitAt> limits_at(const Space& space, const Metrics& metrics);
std::vector<AtBound> at_bounds(const Space& space, const Point& point);

// "at most 5", "at least 60", "in [60, 120]".
std::string limit_text(const Limit& limit);

// "stress = 3, at most 5: holds by 2", "gain = 0.75, in [0.1, 0.4]: violated by 0.35".
std::string text_of(const LimitAt& at);

Json json_of(const LimitAt& at);
Json json_of(const AtBound& at);
// "limits" and "at_bounds" of a result.
void add_edges(Json& json, const Space& space, const Trial& trial);

}  // namespace vbo

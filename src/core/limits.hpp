// SPDX-License-Identifier: MIT
// Measured constraints: how far metrics lie outside the limits of a space. What follows from them
// for the comparison of results is in core/order.hpp.
#pragma once

#include <span>

#include "vbo/error.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// How far the metrics lie outside the limits; 0 = feasible, inf = a metric is missing:
//   sum over limits of ln(1 + excess / scale),   scale = |bound|, or 1 where the bound is 0.
// Relative to the bound, limits in different units weigh alike; the logarithm keeps one that is
// violated a thousandfold from hiding all others.
double violation(std::span<const Limit> limits, const Metrics& metrics);
// Outside the bound if positive; what a model of one limit's metric has to predict as <= 0.
double excess(const Limit& limit, double metric);
double scale_of(const Limit& limit);

// What a person who tells a result has forgotten: the error names the first missing metric.
Result<void> check_metrics(const Space& space, const Metrics& metrics);

// Completed and within all limits.
bool is_feasible(const Space& space, const Trial& trial);

}  // namespace vbo

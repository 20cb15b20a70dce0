// SPDX-License-Identifier: MIT
// Measured constraints and the one order of results that follows from them. Whoever compares two
// results of a study compares their merits: methods, reports, the command line and the bindings.
//   a feasible result    its value, in the sign that is maximized
//   an infeasible one    below every feasible one, the less violating above the more violating
//   a failed one         below all
// A merit depends on its own result alone, so results may come and be compared in any order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

using Metrics = std::map<std::string, double>;

// How far the metrics lie outside the limits; 0 = feasible, inf = a metric is missing:
//   sum over limits of ln(1 + excess / scale),   scale = |bound|, or 1 where the bound is 0.
// Relative to the bound, limits in different units weigh alike; the logarithm keeps one that is
// violated a thousandfold from hiding all others.
double violation(std::span<const Limit> limits, const Metrics& metrics);
// Outside the bound if positive; what a model of one limit's metric has to predict as <= 0.
double excess(const Limit& limit, double metric);
double scale_of(const Limit& limit);

// Merits at or below this are those of infeasible or failed results.
inline constexpr double kInfeasibleMerit = -1e100;
// The merit of a trial whose value is in the sign that is maximized; -inf without a finite value.
// Without limits the value itself.
double merit(const Space& space, const Trial& trial);
// The same of a trial in the user's own sign.
double merit(const Space& space, Goal goal, const Trial& trial);

// What a person who tells a result has forgotten: the error names the first missing metric.
Result<void> check_metrics(const Space& space, const Metrics& metrics);

// Completed and within all limits.
bool is_feasible(const Space& space, const Trial& trial);

// The best result of a study: the best feasible one; the least violating where none is feasible;
// the lowest id among equals. nullopt when nothing is completed.
Result<std::optional<Trial>> best_result(Storage& storage, const StudyRecord& record);

}  // namespace vbo

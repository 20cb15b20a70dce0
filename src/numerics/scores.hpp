// SPDX-License-Identifier: MIT
// Outcomes put on a common scale: replaced by the normal score of their rank, which ignores
// outliers and units and keeps resolution where the results are.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

// Where the i-th of n sorted values (i = 1..n) sits in (0,1).
enum class PlottingPosition {
  midpoint,  // (i - 1/2) / n
  blom,      // (i - 3/8) / (n + 1/4), Blom 1958
};

// z_i = Phi^{-1}(position of the rank of y_i); equal values share their average rank and hence
// their score. NaN counts as -inf, the lowest rank. Infinities are allowed.
Vector normal_scores(ConstVectorRef y, PlottingPosition position = PlottingPosition::midpoint);

// Kendall's rank correlation tau-a of a (n) and b (n): concordant minus discordant pairs over all
// pairs, 0 for fewer than two. O(n^2).
double kendall_tau(ConstVectorRef a, ConstVectorRef b);

}  // namespace vbo

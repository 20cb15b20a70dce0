// SPDX-License-Identifier: MIT
// Small statistics over seeds. Missing values (NaN) are left out everywhere; of nothing, the
// answer is missing.
#pragma once

#include <span>
#include <vector>

namespace vbo::bench {

double mean(std::span<const double> values);
double variance(std::span<const double> values);  // unbiased; missing for one value
// Linear interpolation between order statistics, as numpy.quantile. q in [0,1].
double quantile(std::span<const double> values, double q);
inline double median(std::span<const double> values) { return quantile(values, 0.5); }

// Exact two-sided sign test: the probability, were both equally good, of a split at least as
// uneven as `wins` against `losses`. Ties are left out before. 1 for nothing to compare.
double sign_test(int wins, int losses);

// Two-sided Wilcoxon signed-rank test of paired differences: exact up to 25 non-zero differences
// without ties in size, else the normal approximation with tie correction. 1 for no differences.
double wilcoxon_signed_rank(std::span<const double> differences);

// Half the width of the 95% interval of the mean (Student's t); missing for fewer than two values.
double student_margin(std::span<const double> values);

// a is above b by more than tolerance (1 + |b|). The tolerance of every ranking of methods is
// `rounding`: whoever has found the optimum shares the first place.
constexpr double rounding = 1e-6;
bool above(double a, double b, double tolerance = rounding);

// 1 = highest; equal values, within the tolerance of the highest of them, share the mean of their
// ranks; missing values come last.
std::vector<double> ranks_descending(std::span<const double> values, double tolerance = 0.0);

}  // namespace vbo::bench

// SPDX-License-Identifier: MIT
// Outcomes put on a common scale: standardized, or replaced by the normal score of their rank,
// which ignores outliers and units and keeps resolution where the results are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

// y = mean + scale * z. The scale is the unbiased standard deviation (n-1), or 1 when that is
// below 1e-8 or there are fewer than two values, so that constant data never divide by zero.
struct Standardization {
  double mean = 0.0;
  double scale = 1.0;

  double apply(double y) const { return (y - mean) / scale; }
  double invert(double z) const { return mean + scale * z; }
};
Standardization fit_standardization(ConstVectorRef y);
Vector standardize(ConstVectorRef y);

// Where the i-th of n sorted values (i = 1..n) sits in (0,1).
enum class PlottingPosition {
  midpoint,  // (i - 1/2) / n
  blom,      // (i - 3/8) / (n + 1/4), Blom 1958
};

// z_i = Phi^{-1}(position of the rank of y_i); equal values share their average rank and hence
// their score. NaN counts as -inf, the lowest rank. Infinities are allowed.
Vector normal_scores(ConstVectorRef y, PlottingPosition position = PlottingPosition::midpoint);

// The same for values that keep arriving: inserting b values into n costs O(n + b log b), one score
// O(log n), so a round's work hardly grows with the history. Not thread-safe while inserting.
class NormalScoreTable {
 public:
  explicit NormalScoreTable(PlottingPosition position = PlottingPosition::midpoint)
      : position_(position) {}

  void insert(std::span<const double> values);
  std::size_t size() const { return sorted_.size(); }

  // The score of a value: of its average rank if it was inserted, else of the gap between its
  // neighbours, as if half a rank beyond the lower one. 0 in an empty table.
  double score(double value) const;
  // The value at score z, interpolated between neighbours: the inverse of score(). REQUIRES: size >
  // 0.
  double value(double z) const;

 private:
  double position_of(double rank) const;

  PlottingPosition position_;
  std::vector<double> sorted_;  // ascending, NaN stored as -inf
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What is known under noise about the leading points of a study: a Gaussian process of all their
// results, and what one more result of each is worth for choosing the best of them. A function of
// the results and the seed alone. Values are maximized. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"

namespace vbo {

// A point with its results.
struct LeaderResults {
  Vector code;                 // (D)
  std::vector<double> values;  // not empty
  std::vector<double> errors;  // their standard errors, 0 where unknown
  bool feasible = true;
  bool recent = false;       // first suggested among the latest
  std::int64_t pending = 0;  // evaluations still to come
};

class Leaders {
 public:
  // Nothing where no point is feasible, or all results are equal.
  static std::optional<Leaders> of(const Encoding& encoding,
                                   const std::vector<LeaderResults>& points, std::uint64_t seed);

  // The leader whose next result is worth most, as a position in `points`, and how much the value
  // of the best estimate is expected to rise with it: the knowledge gradient [Frazier2009].
  struct Choice {
    std::size_t point = 0;
    double gain = 0.0;
  };
  Choice choose() const;
  // Counts on a result of it, whatever its value.
  void expect(std::size_t point);

  // By how much the recent points have raised the best estimate.
  double recent_gain() const { return recent_gain_; }
  // Of the values that were looked at: gains far below it are rounding.
  double spread() const { return spread_; }

 private:
  std::vector<std::size_t> points_;  // (L) positions
  Vector mean_;                      // (L)
  Matrix covariance_;                // (L,L)
  double noise_variance_ = 0.0;
  double recent_gain_ = 0.0;
  double spread_ = 0.0;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Where evaluations fail: what suggestions are pre-selected by once something has failed
// (optim/feasibility.hpp), with a closer look at the surroundings of the best result
// (optim/border.hpp). A pure function of the first results of a study: nothing to keep in a
// snapshot. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/encoding.hpp"
#include "optim/feasibility.hpp"
#include "optim/vbo/archive.hpp"

namespace vbo {

// Results with all metrics, one per column or row.
struct LimitResults {
  Matrix codes;      // (D,N)
  Vector objective;  // (N), maximized; of infeasible results too
  Matrix excesses;   // (N,bounds): how far outside a bound, in units of its scale
};

class Failures {
 public:
  Failures(const Encoding& encoding, std::uint64_t seed, int threads);

  // Of the next result of the study's archive.
  void add(const Trial& trial);
  // Those of `history` that have all metrics.
  LimitResults limited(const Archive& history) const;

  // From the first `results` of `history`.
  void learn(const Archive& history, int results);
  bool known() const { return model_.knows_anything(); }
  bool happened() const { return model_.knows_failures(); }  // not only bounds

  // 1 while failures are bearable, less the more of the newest results have failed.
  double boldness() const { return boldness_; }

  // That evaluations at these codes (D) succeed. REQUIRES: known(), and a code.
  Vector success_probability(const std::vector<Vector>& codes) const;
  // Its logarithm at X (D,m), and where `slope` is not null the derivative of that (D,m).
  Vector log_success(ConstMatrixRef X, Matrix* slope) const {
    return model_.log_probability(X, slope);
  }

 private:
  std::vector<int> spread_sample(int results) const;

  const Encoding& encoding_;
  GpOptions options_;
  std::uint64_t seed_;
  std::vector<Success> success_;
  std::vector<double> objective_;  // not a number where there is none
  std::vector<Vector> excesses_;   // of the limits, relative
  Feasibility model_;
  double boldness_ = 1.0;
};

}  // namespace vbo

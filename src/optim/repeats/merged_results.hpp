// SPDX-License-Identifier: MIT
// The results of one point as one result: their mean with its standard error.
#pragma once

#include <cstdint>
#include <vector>

#include "vbo/trial.hpp"

namespace vbo {

// The variance of a single result, from all points with several results. With few of them at a
// point the variance there is uncertain: it is shrunk towards that of all points,
//   s_i^2 = (4 p + d_i) / (4 + n_i - 1),  d_i squared deviations of n_i results, p = sum d / sum
//   n-1
// so that the standard error of a mean of two is of use, and grows where the noise does.
class PooledVariance {
 public:
  using Results = std::vector<const Trial*>;  // of one point, in the order of ids

  void add(const Results& results);
  // One trial that stands for all: id, point and rationale of the first; the mean of values and
  // metrics of those that succeeded, failed when none did; the larger of the standard error found
  // from the deviations and the one that the results came with. REQUIRES: not empty.
  Trial merged(const Results& results) const;

 private:
  std::vector<double> deviations_;  // squared, per objective
  double freedom_ = 0.0;            // degrees of freedom in them
};

}  // namespace vbo

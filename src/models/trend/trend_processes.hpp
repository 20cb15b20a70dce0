// SPDX-License-Identifier: MIT
// Surrogates of many outputs at the same inputs: a polynomial of degree two with a smooth deviation
// from it,
//   y_m ~ GP(0, s2_m K_j),   K_j = a + b u'v + c (u'v)^2 + d Matern52(|u - v| / l) + e / w,
// where every output takes the member j of a small set of kernels that has the highest evidence;
// s2_m maximizes it in closed form. A matrix is factorized once for all outputs, so that a further
// output costs O(n^2): linear outputs are exact from D + 1 results on, quadratic ones once results
// determine them. Inputs should be of size one. Immutable once made: thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

class TrendProcesses {
 public:
  // U (D,n), Y (n,M) finite, weights (n) > 0: the noise of a result is that of weight 1 divided by
  // its own. REQUIRES: n >= 1.
  TrendProcesses(Matrix U, ConstMatrixRef Y, ConstVectorRef weights);
  ~TrendProcesses();
  TrendProcesses(TrendProcesses&&) noexcept;
  TrendProcesses& operator=(TrendProcesses&&) noexcept;

  Eigen::Index outputs() const { return offsets_.size(); }  // M
  // Posterior means (M) at u (D); `slope` (D,M) becomes their derivative where it is not null.
  Vector mean(ConstVectorRef u, Matrix* slope = nullptr) const;
  // Posterior deviations of the outputs without noise (M) at u (D); `slope` likewise.
  Vector deviation(ConstVectorRef u, Matrix* slope = nullptr) const;
  // Deviation of the noise of a result of weight 1 (M).
  Vector noise() const;

 private:
  struct Member;  // a kernel with its factor and the outputs that take it
  struct Place;

  Matrix U_;
  Vector offsets_, scales_;  // (M): outputs are standardized
  Vector roots_;             // (M): sqrt(s2_m)
  std::vector<Member> members_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Draws from a stationary Gaussian-process prior as explicit functions (Rahimi and Recht 2007):
//   f(x) = sqrt(2 s2 / F) sum_i w_i cos(omega_i' x + b_i),  w ~ N(0,1), b ~ U(0, 2 pi),
// omega from the kernel's spectral density: normal for rbf, Student-t with 5 degrees of freedom for
// matern52, both divided by the length-scales. The covariance is exact up to O(1/sqrt F).
#pragma once

#include "models/gp/kernel.hpp"
#include "vbo/random.hpp"

namespace vbo {

class RandomFeatures {
 public:
  RandomFeatures(const StationaryKernel& kernel, Eigen::Index F, Rng& rng);
  Matrix operator()(ConstMatrixRef X) const;  // X (D,n) -> features (n,F), f = features * w
  Eigen::Index size() const { return phase_.size(); }

 private:
  Matrix omega_;  // (F,D)
  Vector phase_;  // (F)
  double amplitude_;
};

}  // namespace vbo

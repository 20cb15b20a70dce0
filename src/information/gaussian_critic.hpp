// SPDX-License-Identifier: MIT
// The critic a multivariate normal distribution would have: the log density ratio
// log p(x,y) / (p(x) p(y)) of a fitted Gaussian, in canonical coordinates. With canonical
// correlations s_k and coordinates a_k of x, b_k of y (each of variance 1),
//   T(x,y) = sum_k [ s a b / (1-s^2) - s^2 (a^2 + b^2) / (2 (1-s^2)) - log(1-s^2) / 2 ]
// A network then only has to learn what is not Gaussian. Immutable once fitted.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

class GaussianCritic {
 public:
  GaussianCritic() = default;  // T = 0
  // X (Dx,N), Y (Dy,N). Covariances get `ridge` times their mean variance on the diagonal, so that
  // one-hot and duplicate columns are fine.
  GaussianCritic(ConstMatrixRef X, ConstMatrixRef Y, double ridge = 1e-3);

  // The same critic with each squared correlation s^2 lowered to max(0, (s^2 - noise) / (1 -
  // noise)): with N samples, independent columns still show correlations of order (Dx + Dy) / N.
  GaussianCritic shrunk(double noise) const;

  const Vector& correlations() const { return s_; }  // (k) descending, in [0, 1)
  double mutual_information() const;  // -1/2 sum log(1 - s^2), of the fitted Gaussian

  // T(x_i, y_j) = left_i . right_j + left_offset_i + right_offset_j, ready for many pairs.
  struct Features {
    Matrix left, right;                // (k,N) each
    Vector left_offset, right_offset;  // (N) each
  };
  Features features(ConstMatrixRef X, ConstMatrixRef Y) const;

 private:
  Vector x_mean_, y_mean_;
  Matrix x_to_a_, y_to_b_;  // (k,Dx), (k,Dy)
  Vector s_;                // (k)
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// A polynomial of degree two, fitted by Bayesian linear regression:
//   y_i ~ N(phi(u_i)'b, s2 / w_i),   phi(u) = (1, u_i, u_i u_j),   b ~ N(0, s2 / lambda I)
// with known relative weights w_i, a flat prior on the intercept and Jeffreys' prior on s2. lambda
// maximizes the evidence on a grid. n results and p coefficients take O(n p^2 + p^3): a millisecond
// at D = 10. Immutable once made: may be shared between threads.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

class QuadraticModel {
 public:
  // Which products u_i u_j there are: none, the squares, or all.
  enum class Form { linear, diagonal, full };
  static Eigen::Index coefficients(Form form, Eigen::Index D);
  // The richest form with at most n / 1.1 and at most `most` coefficients; linear otherwise.
  static Form form_for(Eigen::Index n, Eigen::Index D, Eigen::Index most);

  // U (D,n), y (n), weights (n) > 0. Coordinates should be of size one. REQUIRES: n >= 1.
  QuadraticModel(Form form, ConstMatrixRef U, ConstVectorRef y, ConstVectorRef weights);

  Form form() const { return form_; }
  // mean(u) = constant + gradient'u + u' hessian u / 2
  Vector mean(ConstMatrixRef U) const;                       // (q) of U (D,q)
  Vector mean_variance(ConstMatrixRef U) const;              // its posterior variance (q)
  double noise_variance() const { return noise_variance_; }  // s2, of a result of mean weight
  const Vector& gradient() const { return gradient_; }
  const Matrix& hessian() const { return hessian_; }

 private:
  Form form_;
  double constant_ = 0.0;
  Vector gradient_;       // (D)
  Matrix hessian_;        // (D,D)
  double results_ = 0.0;  // n
  double noise_variance_ = 0.0;
  Vector centre_;          // weighted mean of the features (p)
  Matrix precision_root_;  // lower triangular L (p,p): L L' = F W F' + lambda I
};

}  // namespace vbo

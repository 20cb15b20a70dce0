// SPDX-License-Identifier: MIT
// Covariance functions k(x,x'), as whole matrices and with their adjoints in the second argument.
// One point is one column: A (D,n), B (D,q). Immutable once made: may be shared between threads.
#pragma once

#include "numerics/linalg.hpp"
#include "numerics/parallel.hpp"

namespace vbo {

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Matrix cross(ConstMatrixRef A, ConstMatrixRef B) const = 0;  // k(A,B) (n,q)
  virtual Vector diagonal(ConstMatrixRef B) const = 0;                 // k(b,b) (q)

  // Given dK = dL/dk(A,B) (n,q), returns dL/dB (D,q).
  virtual Matrix pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const = 0;
  // Given dL/dk(b,b) (q), returns dL/dB (D,q).
  virtual Matrix pull_diagonal(ConstMatrixRef B, ConstVectorRef ddiagonal) const = 0;

  // For a symmetric dK over k(B,B) (q,q). By symmetry of k, d k(b_i,b_j) moves through either
  // argument alike, so twice the second-argument pullback counts both, the diagonal included.
  Matrix pull_self(ConstMatrixRef B, ConstMatrixRef dK) const { return pull_cross(B, B, 2.0 * dK); }
};

enum class Shape { matern52, rbf };

// k = variance * g(rho),  rho^2 = sum_j (inverse_lengthscales_j (x_j - x'_j))^2
//   matern52  g = (1 + sqrt5 rho + 5/3 rho^2) exp(-sqrt5 rho)
//   rbf       g = exp(-rho^2 / 2)
class StationaryKernel final : public Kernel {
 public:
  StationaryKernel(Shape shape, Vector inverse_lengthscales, double variance);

  Matrix cross(ConstMatrixRef A, ConstMatrixRef B) const override;
  Vector diagonal(ConstMatrixRef B) const override;
  Matrix pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const override;
  Matrix pull_diagonal(ConstMatrixRef B, ConstVectorRef ddiagonal) const override;

  // The lower triangle of k(X,X) for X (D,n), and of the slope Q = -2 variance dg/d(rho^2), with
  // which every derivative is written: dk/dl_j = Q delta_j^2 / l_j, dk/dx_j = -Q delta_j / l_j,
  // delta_j = (x_j - x'_j) / l_j. `Q` may be null. The strict upper triangles are left as they are.
  void self(ConstMatrixRef X, Matrix& K, Matrix* Q, Team& team) const;

  // X (D,n) -> (n,D), divided by the length-scales, one input per column.
  Matrix scaled(ConstMatrixRef X) const;

  Shape shape() const { return shape_; }
  const Vector& inverse_lengthscales() const { return inverse_lengthscales_; }
  double variance() const { return variance_; }

 private:
  Shape shape_;
  Vector inverse_lengthscales_;  // (D)
  double variance_;
};

}  // namespace vbo

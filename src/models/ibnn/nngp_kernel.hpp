// SPDX-License-Identifier: MIT
// The covariance of an infinitely wide Bayesian network (Lee et al. 2018; Cho and Saul 2009):
//   K0(x,x') = b + w x.x'/D,  then for each of `depth` layers with A = K(x,x), B = K(x',x'), C =
//   K(x,x') relu  K = b + w/(2 pi) sqrt(AB) (sin t + (pi - t) cos t),  cos t = C / sqrt(AB) erf   K
//   = b + 2w/pi asin(2C / sqrt((1+2A)(1+2B)))
// with b, w the variances of biases and weights. Not stationary: k(x,x) grows with |x|.
#pragma once

#include "models/gp/kernel.hpp"

namespace vbo {

enum class NetworkUnit { relu, erf };

struct NngpOptions {
  NetworkUnit unit = NetworkUnit::relu;
  int depth = 3;                  // >= 0 hidden layers
  double weight_variance = 10.0;  // w > 0
  double bias_variance = 1.3;     // b >= 0
};

class NngpKernel final : public Kernel {
 public:
  explicit NngpKernel(NngpOptions options) : options_(options) {}

  Matrix cross(ConstMatrixRef A, ConstMatrixRef B) const override;
  Vector diagonal(ConstMatrixRef B) const override;
  Matrix pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const override;
  Matrix pull_diagonal(ConstMatrixRef B, ConstVectorRef ddiagonal) const override;

 private:
  // k(x,x) after 0..depth layers (depth + 1, n), and if asked its slope by that before all layers.
  Matrix diagonals(ConstMatrixRef X, Matrix* slopes = nullptr) const;

  NngpOptions options_;
};

}  // namespace vbo

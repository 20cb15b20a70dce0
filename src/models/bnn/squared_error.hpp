// SPDX-License-Identifier: MIT
// The sum of squared errors of a one-output network over all data, and its gradient: what every
// Bayesian network here evaluates thousands of times. Parameters come in and gradients go out in
// double; the network itself runs in T (float is twice as fast). Data is cut into slices of at
// most 128 columns, which run over threads and are added in order: the result depends on neither
// the number of threads nor who ran what. Not thread-safe: owns its workspaces.
#pragma once

#include <vector>

#include "nn/mlp.hpp"
#include "numerics/linalg.hpp"

namespace vbo {

template <class T>
class SquaredError {
 public:
  // X (D,N), y (N). REQUIRES: shape has D inputs and one output; N >= 1.
  SquaredError(nn::MlpShape shape, ConstMatrixRef X, ConstVectorRef y, int threads);

  Eigen::Index data() const { return y_.size(); }  // N
  const nn::MlpShape& shape() const { return shape_; }

  // sum_i (f(x_i; theta) - y_i)^2, and its gradient (W).
  double operator()(ConstVectorRef theta, VectorRef gradient);

 private:
  struct Slice {
    Eigen::Index begin = 0, size = 0;
    nn::MlpWorkspace<T> work;
    VectorOf<T> gradient;  // (W)
    MatrixOf<T> residual;  // (1, size)
    double sum = 0.0;
  };
  void run(Slice& slice);

  nn::MlpShape shape_;
  MatrixOf<T> X_;  // (D,N)
  VectorOf<T> y_;
  VectorOf<T> theta_;
  std::vector<Slice> slices_;
  int threads_;
};

extern template class SquaredError<float>;
extern template class SquaredError<double>;

}  // namespace vbo

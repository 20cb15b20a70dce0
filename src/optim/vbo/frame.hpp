// SPDX-License-Identifier: MIT
// How a critic sees an input: twice. The first view is the whole cube, 2x - 1. The second, over the
// numeric coordinates, is the neighbourhood in which the local search now works,
//   c tanh(A (x - mu) / c),   A = C^(-1/2) / (s sigma),
// with mu, sigma, C the mean, step-size and shape of its distribution: what is left of the problem
// looks round and of size one, however narrow and tilted the search has become. This is what lets
// small networks keep converging. Immutable between rounds; const calls are thread-safe.
#pragma once

#include <vector>

#include "nn/mlp.hpp"
#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"

namespace vbo {

class Frame {
 public:
  explicit Frame(const Encoding& encoding);

  Eigen::Index inputs() const { return dimension_ + numeric(); }                       // F
  Eigen::Index numeric() const { return static_cast<Eigen::Index>(numeric_.size()); }  // Dn
  const std::vector<Eigen::Index>& numeric_coordinates() const { return numeric_; }

  // mean (Dn); whitening A (Dn,Dn), or (Dn,1) for a diagonal one.
  void move(ConstVectorRef mean, ConstMatrixRef whitening);
  const Vector& mean() const { return mean_; }
  const Matrix& whitening() const { return whitening_; }

  // codes X (D,N) -> features Z (F,N)
  void features(nn::InputRef<float> X, MatrixOf<float>& Z) const;
  // Adjoint: dL/dX (D,N) from Z and dL/dZ (F,N).
  void features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ, MatrixOf<float>& dX) const;

 private:
  Eigen::Index dimension_;             // D
  std::vector<Eigen::Index> numeric_;  // coordinates of real and integer parameters
  Vector mean_;
  Matrix whitening_;
  VectorOf<float> mean_f_;
  MatrixOf<float> whitening_f_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// How a network sees an input: the first view is the whole cube, 2x - 1. The others, over the
// numeric coordinates, are neighbourhoods, for the critics those in which the two local searches
// now work,
//   c tanh(A (x - mu) / c),   A = C^(-1/2) / (s sigma),
// with mu, sigma, C the mean, step-size and shape of a search's distribution: what is left of the
// problem looks round and of size one, however narrow and tilted the search has become. This is
// what lets small networks keep converging. Immutable between rounds; const calls are thread-safe.
#pragma once

#include <vector>

#include "nn/mlp.hpp"
#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"

namespace vbo {

class Frame {
 public:
  static constexpr int kViews = 2;  // neighbourhoods, one for each local search

  explicit Frame(const Encoding& encoding, int views = kViews);

  Eigen::Index inputs() const { return dimension_ + std::ssize(views_) * numeric(); }  // F
  Eigen::Index numeric() const { return static_cast<Eigen::Index>(numeric_.size()); }  // Dn
  const std::vector<Eigen::Index>& numeric_coordinates() const { return numeric_; }

  struct Neighbourhood {
    Vector mean;       // mu (Dn)
    Matrix whitening;  // A (Dn,Dn), or (Dn,1) for a diagonal one
  };
  void move(int view, Neighbourhood to);
  const Neighbourhood& neighbourhood(int view) const {
    return views_[static_cast<std::size_t>(view)].at;
  }

  // codes X (D,N) -> features Z (F,N)
  void features(nn::InputRef<float> X, MatrixOf<float>& Z) const;
  // Adjoint: dL/dX (D,N) from Z and dL/dZ (F,N).
  void features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ, MatrixOf<float>& dX) const;

 private:
  Eigen::Index dimension_;             // D
  std::vector<Eigen::Index> numeric_;  // coordinates of real and integer parameters
  struct View {
    Neighbourhood at;
    VectorOf<float> mean;  // the same in single precision
    MatrixOf<float> whitening;
  };
  std::vector<View> views_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Inputs of a network: the whole cube as 2x - 1 and, over the numeric coordinates, a window around
// the region where the local search now works,
//   c tanh(A (x - mu) / c),   A = C^(-1/2) / (s sigma),
// with mu, sigma, C the mean, step-size and shape of the search's distribution: the remaining
// problem is round and of size one, however narrow and tilted the search has become. This is what
// lets small networks keep converging. Immutable between rounds; const calls are thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "nn/mlp.hpp"
#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"

namespace vbo {

class LocalCoordinates {
 public:
  enum class Windows { whole, whole_and_local };
  explicit LocalCoordinates(const Encoding& encoding, Windows views = Windows::whole_and_local);

  Eigen::Index inputs() const { return dimension_ + (near_ ? numeric() : 0); }         // F
  Eigen::Index numeric() const { return static_cast<Eigen::Index>(numeric_.size()); }  // Dn
  const std::vector<Eigen::Index>& numeric_coordinates() const { return numeric_; }

  struct Neighbourhood {
    Vector mean;       // mu (Dn)
    Matrix whitening;  // A (Dn,Dn), or (Dn,1) for a diagonal one
  };
  // REQUIRES (both): there is a near window.
  void move(Neighbourhood to);
  const Neighbourhood& neighbourhood() const { return near_->at; }

  // codes X (D,N) -> features Z (F,N)
  void features(nn::InputRef<float> X, MatrixOf<float>& Z) const;
  // Adjoint: dL/dX (D,N) from Z and dL/dZ (F,N).
  void features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ, MatrixOf<float>& dX) const;

 private:
  Eigen::Index dimension_;             // D
  std::vector<Eigen::Index> numeric_;  // coordinates of real and integer parameters
  struct NearWindow {
    Neighbourhood at;
    VectorOf<float> mean;  // the same in single precision
    MatrixOf<float> whitening;
  };
  std::optional<NearWindow> near_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Where evaluations succeed around the best result: a Bayesian logistic classifier of the nearest
// successes and failures, in coordinates in which the successes look round and of size one: as
// narrow as the search becomes, the border is known at its scale. Its surfaces are the quadrics of
// the space itself, which any smooth border is at that scale; what results far away say fades with
// their distance r from the best one.
//   f(z) = w . (1, z_i, z_i z_j),   w ~ N(0, diag(a^2, a^2, q^2 a^2))
//   P(success at z) = sigma(f(z) / (1 + r^2)^p)
// averaged over some a, q and p by their evidence [MacKay1992], w by Laplace's approximation. What
// is said of a point is the probability that f > 0: failures that come at random keep nobody away.
// With logarithmic distances z is bent instead, |z| = asinh(r), and nothing fades (p = 0): too sure
// of itself, but the surrogate methods lose whole batches with linear ones, nobody knows yet why.
// A pure function of what it learned from. Const calls are thread-safe.
#pragma once

#include <vector>

#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"
#include "optim/success.hpp"

namespace vbo {

class Border {
 public:
  enum class Distances { linear, logarithmic };
  // X (D,N) codes; `best` is the index of a success. Knows nothing afterwards where nothing has
  // failed or fewer than `fewest` have succeeded: from few results it would be a guess.
  void learn(const Encoding& encoding, ConstMatrixRef X, const std::vector<Success>& success,
             Eigen::Index best, std::size_t fewest, Distances distances);
  void forget() { posteriors_.clear(); }
  bool known() const { return !posteriors_.empty(); }

  // How far code x (D) lies from where it knows most: within the results around the best one,
  // within all it has learned from, or beyond.
  enum class Place { near, within, beyond };
  Place place_of(ConstVectorRef x) const;
  // log P(f > 0) at X (D,m) -> (m); where `slope` is not null it becomes its derivative (D,m).
  // REQUIRES: known().
  Vector log_probability(ConstMatrixRef X, Matrix* slope = nullptr) const;

 private:
  Vector local(ConstVectorRef x) const;
  Vector features(ConstVectorRef z) const;
  void set_frame(const Encoding& encoding, ConstMatrixRef X, const std::vector<Eigen::Index>& good);

  Vector centre_;     // (D)
  Matrix whitening_;  // (D,D)
  Distances distances_ = Distances::linear;
  double reach_ = 0.0;  // of what it learned from, in local coordinates
  bool mixed_ = true;   // products of different coordinates are features
  struct Posterior {    // of one prior
    double share;       // of its evidence
    Vector weights;     // (P)
    Matrix covariance;  // (P,P)
  };
  std::vector<Posterior> posteriors_;
};

}  // namespace vbo

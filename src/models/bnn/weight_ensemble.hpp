// SPDX-License-Identifier: MIT
// M networks of one shape, drawn from a posterior over weights, as one distribution over functions:
//   f_m(x) = offset + scale net((x - input_mean) / input_deviation; theta_m).
// Immutable once filled: const members may be used from several threads at once.
#pragma once

#include <memory>

#include "models/surrogate.hpp"
#include "nn/mlp.hpp"

namespace vbo {

struct WeightEnsemble {
  nn::MlpShape shape;
  Matrix members;                      // (W,M), one network per column. M >= 1
  Vector input_mean, input_deviation;  // (D); empty = inputs as they are
  double offset = 0.0, scale = 1.0;
  int threads = 1;

  Matrix values(ConstMatrixRef X) const;                       // X (D,q) -> F (q,M)
  Matrix pullback(ConstMatrixRef X, ConstMatrixRef dF) const;  // dL/dF (q,M) -> dL/dX (D,q)
  // Refers to *this.
  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const;
  // S members, all different while S <= M, at X (D,m) -> (m,S).
  Matrix sample(ConstMatrixRef X, Eigen::Index S, Rng& rng) const;

 private:
  Matrix scaled(ConstMatrixRef X) const;
};

}  // namespace vbo

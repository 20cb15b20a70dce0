// SPDX-License-Identifier: MIT
// A posterior that is a multivariate normal: draws are mean + L z with Sigma = L L', and
// derivatives with respect to draws reach X through the adjoint of the Cholesky factorization. A
// model derives from it and supplies moments and their pullbacks.
#pragma once

#include "models/surrogate.hpp"

namespace vbo {

// Rounding can drive a posterior variance below zero next to data; this is its floor, as a share of
// the prior variance.
inline constexpr double variance_floor = 1e-10;

// The lower Cholesky factor of a covariance (q,q), with as much jitter as it takes.
Matrix robust_factor(ConstMatrixRef A);

class GaussianPosterior : public Posterior {
 public:
  Matrix draws(const BaseSamples& base) const final;
  Matrix pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const final;

 private:
  const Matrix& factor() const;  // L (q,q), lower, of the covariance plus what jitter it needed
  mutable Matrix factor_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The posterior of a model that holds M functions drawn from it (weight samples of a network):
//   mean = average over members, covariance = unbiased (M-1) sample covariance, draws = members.
// A model supplies the member values F and the way back from dL/dF to dL/dX; the rest is here.
#pragma once

#include <functional>

#include "models/surrogate.hpp"

namespace vbo {

class EnsemblePosterior final : public Posterior {
 public:
  // dL/dF (q,M) -> dL/dX (D,q).
  using Pull = std::function<Matrix(ConstMatrixRef dF)>;

  // F (q,M): value of member m at point i, in units of y. REQUIRES: M >= 1.
  EnsemblePosterior(Matrix F, Pull pull);

  const Vector& mean() const override { return mean_; }
  const Vector& variance() const override { return variance_; }
  const Matrix& covariance() const override;
  Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const override;
  Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const override;
  // Draw s is member floor(M * uniforms[s]), the same for all q points.
  Matrix draws(const BaseSamples& base) const override;
  Matrix pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const override;

 private:
  Matrix F_;         // (q,M)
  Matrix centered_;  // (q,M): F - mean
  Pull pull_;
  Vector mean_, variance_;
  mutable Matrix covariance_;  // (q,q), computed when first asked for
};

}  // namespace vbo

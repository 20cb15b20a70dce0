// SPDX-License-Identifier: MIT
// Infinitely wide Bayesian network (I-BNN of Li et al. 2024): a Gaussian process whose kernel is
// fixed by the architecture; only the mean and the noise are learned. With the eigenvalues of K,
// found once, the likelihood of a noise costs O(n).
#pragma once

#include <optional>

#include "models/gp/prior.hpp"
#include "models/gp/regression.hpp"
#include "models/ibnn/nngp_kernel.hpp"

namespace vbo {

struct InfiniteBnnOptions {
  NngpOptions kernel;
  PositivePrior noise_prior = PositivePrior::gamma(1.1, 0.05);
  double noise_start = 2.0;  // the prior's mode
  double noise_low = 1e-4;
};

class InfiniteBnn final : public Surrogate {
 public:
  explicit InfiniteBnn(InfiniteBnnOptions options) : options_(options) {}

  FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  FitReport update(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const override;
  std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const override;
  Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                          Rng rng) const override;
  bool has_fantasies() const override { return true; }
  std::unique_ptr<Surrogate> conditioned_on(ConstMatrixRef X, ConstVectorRef y) const override;
  double noise_variance() const override;

  const Regression& regression() const { return *regression_; }  // REQUIRES: fitted

 private:
  InfiniteBnnOptions options_;
  std::optional<Regression> regression_;
};

}  // namespace vbo

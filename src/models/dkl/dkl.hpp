// SPDX-License-Identifier: MIT
// Deep kernel learning (Wilson et al. 2016; as in Li et al. 2024): a Gaussian process on the last
// hidden layer of a tanh network. Each fit starts from a fresh network:
//   1. network with a linear head: squared error on standardized y, Adam, full batch; head dropped
//   2. weights and hyper-parameters together: Adam on the log posterior of the Gaussian process / n
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/gp/regression.hpp"
#include "nn/mlp.hpp"

namespace vbo {

struct DklOptions {
  std::vector<int> hidden = {64, 64};  // widths; the last is the number of features
  int pretrain_steps = 300;
  int train_steps = 300;
  double learning_rate = 1e-2;  // of both phases' Adam
  // The published code trains phase 2 on y as it comes and predicts with standardized y.
  bool faithful_raw_y = false;
};

class DeepKernel final : public Surrogate {
 public:
  explicit DeepKernel(DklOptions options) : options_(std::move(options)) {}

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
  Matrix features(ConstMatrixRef X) const;  // (D,n) -> (H,n)

  DklOptions options_;
  nn::MlpShape shape_;  // D -> hidden, tanh everywhere
  std::shared_ptr<const Vector> weights_;
  std::optional<Regression> regression_;  // on features
};

// Minus (log p + log priors) / n of phase 2, for theta = (weights, r_l (H), r_s, c, noise) with
// l = softplus(r_l), s2 = softplus(r_s); l ~ Gamma(3,6), s2 ~ Gamma(2,0.15), noise ~
// Gamma(1.1,0.05). Not a number when the covariance is not positive definite. X (D,n), z (n).
double deep_kernel_loss(const nn::MlpShape& shape, ConstMatrixRef X, ConstVectorRef z,
                        ConstVectorRef theta, Vector* gradient);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// A neural network trained to a maximum, linearized there in its weights, with the Gaussian
// posterior of the linearized weights: the linearized Laplace approximation of [Immer2021],
// "Improving predictions of Bayesian neural nets via local linearization", as used by [Li2024].
// The prior precision maximizes the marginal likelihood. fit() starts from the weights of the last
// fit; they are its state.
#pragma once

#include "models/bnn/network.hpp"
#include "models/laplace/curvature.hpp"
#include "models/surrogate.hpp"

namespace vbo {

enum class CurvatureKind { kfac, function_space };

struct LaplaceBnnOptions {
  NetworkOptions network;
  double noise_variance = 1.0;  // > 0: sigma^2, in the units that are fitted
  // The published code fits y as it comes, with a learning rate that is unstable when its scale is
  // large. false keeps that; a fit worse than a constant is then repeated on standardized y.
  bool standardize = true;
  CurvatureKind curvature = CurvatureKind::kfac;
  int steps = 1000;              // of Adam, full batch
  double learning_rate = 0.1;    // > 0, annealed to zero by a cosine
  double weight_decay = 1e-3;    // >= 0, L2, during training only
  int prior_steps = 50;          // Adam steps on the prior precision
  bool single_precision = true;  // the network runs in float while training
  int threads = 0;
};

class LaplaceBnn final : public Surrogate {
 public:
  explicit LaplaceBnn(LaplaceBnnOptions options) : options_(std::move(options)) {}

  FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const override;
  std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const override;
  Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                          Rng rng) const override;
  double noise_variance() const override { return options_.noise_variance * scale_ * scale_; }
  Vector state() const override { return theta_; }
  bool set_state(ConstVectorRef state) override;

  const nn::MlpShape& shape() const { return shape_; }
  const Vector& weights() const { return theta_; }
  double prior_precision() const { return delta_; }

 private:
  friend class LaplacePosterior;
  double train(const Matrix& X, const Vector& y);  // to a maximum; returns the SSE there

  LaplaceBnnOptions options_;
  nn::MlpShape shape_;
  Vector theta_;  // (W), empty before the first fit
  double offset_ = 0.0, scale_ = 1.0, delta_ = 1.0;
  std::unique_ptr<Curvature> curvature_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// A Bayesian neural network whose posterior is sampled by full-batch Hamiltonian Monte Carlo, as
// in [Li2024], "A Study of Bayesian Neural Network Surrogates for Bayesian Optimization":
//   y_i ~ N(f(x_i; theta), s^2),  theta ~ N(0, v I).
// fit() starts every chain from a random network brought to a maximum of the posterior by Adam,
// then samples; it keeps no state between fits.
#pragma once

#include "models/bnn/network.hpp"
#include "models/bnn/weight_ensemble.hpp"
#include "models/hmc/sampler.hpp"

namespace vbo {

struct HmcBnnOptions {
  NetworkOptions network;
  double noise_variance = 0.1;  // > 0, see below
  double prior_variance = 1.0;  // > 0: v, of every weight and bias
  // The published code uses the configured noise variance as the standard deviation s of the
  // likelihood. true keeps that; false makes s its root.
  bool noise_as_deviation = true;
  bool standardize = true;    // fit (y - mean) / deviation
  int chains = 1;             // >= 1, over threads
  HmcOptions sampler;         // samples and burn_in are per chain
  int pretrain_steps = 1000;  // Adam steps before sampling
  double pretrain_rate = 1e-3;
  std::int64_t members = 0;      // networks kept for predictions, evenly spaced; 0 = all
  bool single_precision = true;  // networks run in float while sampling
  int threads = 0;               // 0 = all cores; results do not depend on it
};

// How well the last fit's chains did (models/bnn/diagnostics.hpp).
struct HmcDiagnostics {
  double acceptance = 0.0;
  double effective_samples = 0.0;
  double r_hat = 1.0;
  double step_size = 0.0;  // mean over the chains
  std::int64_t divergences = 0;
  std::int64_t gradients = 0;
  std::int64_t stuck_chains = 0;  // never accepted a trajectory after burn-in
};

class HmcBnn final : public Surrogate {
 public:
  explicit HmcBnn(HmcBnnOptions options) : options_(std::move(options)) {}

  FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const override {
    return ensemble_.posterior(X);
  }
  std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const override {
    return ensemble_.posterior(X);
  }
  Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                          Rng rng) const override;
  double noise_variance() const override { return noise_variance_; }

  const HmcDiagnostics& diagnostics() const { return diagnostics_; }
  const WeightEnsemble& ensemble() const { return ensemble_; }

 private:
  HmcBnnOptions options_;
  WeightEnsemble ensemble_;
  double noise_variance_ = 0.0;
  HmcDiagnostics diagnostics_;
};

}  // namespace vbo

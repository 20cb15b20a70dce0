// SPDX-License-Identifier: MIT
// A Bayesian neural network sampled by adaptive stochastic-gradient HMC, as in
// [Springenberg2016] and as used by [Li2024]. Inputs and outputs are standardized; the logarithm of
// the noise variance is one more parameter. Work does not grow with the number of data. fit()
// starts from random networks and keeps no state between fits.
#pragma once

#include "models/bnn/network.hpp"
#include "models/bnn/weight_ensemble.hpp"
#include "models/sghmc/sampler.hpp"

namespace vbo {

struct SghmcBnnOptions {
  NetworkOptions network;
  double prior_variance = 1.0;  // > 0, of every weight and bias
  // The published code divides the weight prior's gradient by the number of parameters, which makes
  // the prior almost flat. true keeps that; false is the prior as written.
  bool weak_prior = true;
  double noise_start = 1e-3;  // > 0: first noise variance, in units of the variance of y
  SghmcOptions sampler;
  int steps = 2000;    // in all, per chain
  int burn_in = 1000;  // of them, in which the preconditioner adapts
  int thin = 5;        // steps between kept networks
  int batch = 5;       // data per gradient
  int chains = 1;      // >= 1, over threads
  int threads = 0;     // 0 = all cores; results do not depend on it
};

class SghmcBnn final : public Surrogate {
 public:
  explicit SghmcBnn(SghmcBnnOptions options) : options_(std::move(options)) {}

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

  const WeightEnsemble& ensemble() const { return ensemble_; }

 private:
  SghmcBnnOptions options_;
  WeightEnsemble ensemble_;
  double noise_variance_ = 0.0;
};

// The loss of one minibatch Z (D,b), t (b) out of n standardized data, and its gradient, at
// theta (W+1) whose last entry is u = log noise variance:
//   1/b sum [ (t-f)^2 / (2 (e^u + 1e-16)) + u/2 ] + 1/n (u - log 1e-6)^2/(2 0.01)
//     + 1/n |theta|^2 / (2 prior)
// `prior` is the prior variance, times W+1 under weak_prior.
struct SghmcLoss {
  const nn::MlpShape& shape;
  double n;
  double prior;
  nn::MlpWorkspace<double> work;

  double operator()(ConstVectorRef theta, ConstMatrixRef Z, ConstVectorRef t, VectorRef gradient);
};

}  // namespace vbo

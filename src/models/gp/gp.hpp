// SPDX-License-Identifier: MIT
// The Gaussian process: Matern-5/2 or RBF kernel with one length-scale per input, constant mean or
// a quadratic mean (quadratic_mean.hpp), hyper-parameters by maximum a posteriori. Outcomes are
// standardized inside.
//   z ~ N(m, s2 g(rho) + noise I);  maximize  log p(z | theta) + log prior(theta)
// over the logarithms of theta = (length-scales, s2, noise), the mean profiled out in closed form.
// Usage:  GaussianProcess gp(GpOptions::standard(D));  gp.fit(X, y, rng);
//         const auto p = gp.posterior(X);  p->mean(), p->covariance(), p->pullback(...)
#pragma once

#include <optional>
#include <vector>

#include "models/gp/kernel.hpp"
#include "models/gp/likelihood.hpp"
#include "models/gp/prior.hpp"
#include "models/gp/regression.hpp"
#include "models/surrogate.hpp"

namespace vbo {

struct GpOptions {
  Shape kernel = Shape::matern52;
  PositivePrior lengthscale_prior, variance_prior, noise_prior;
  double lengthscale_start = 0.5, variance_start = 1.0, noise_start = 1e-2;
  double lengthscale_low = 5e-3, lengthscale_high = 1e3;
  double variance_low = 1e-3, variance_high = 1e3;
  double noise_low = 1e-6, noise_high = 10.0;  // of the standardized outcome, variance
  bool learn_variance = true;                  // false: s2 = variance_start
  std::optional<double> fixed_noise;           // variance in units of y squared; else learned
  int max_iterations = 100;                    // accepted steps of the search
  // Larger data: a cold fit starts on a subset of this size, then on twice as many ...; 0 = never.
  Eigen::Index warmup_points = 256;
  bool keep_inverse = false;  // see Regression; for many predictions at single points
  int threads = 1;            // of a fit; 0 = all cores. The result does not depend on it
  // Inputs j with equal group[j] share a length-scale and are multiplied by input_scale[j] first:
  // a one-hot block in one group, scaled by 1/sqrt 2, is a Hamming kernel over the choices.
  std::vector<Eigen::Index> group;  // (D), values 0..groups-1
  Vector input_scale;               // (D)
  QuadraticMean quadratic;          // of the mean; empty: the mean is constant

  // The default of the gp-* methods: a length-scale prior with the mode of Hvarfner et al. (2024),
  // sqrt(d) exp(sqrt2 - 3), but deviation 0.7 of its logarithm instead of sqrt3: with the wide one,
  // twenty results of Hartmann-6 already gave length-scales from 0.1 to 3. Noise LogNormal(-7.5,
  // 2).
  static GpOptions standard(Eigen::Index D);
  // What BoTorch's SingleTaskGP has: length-scales LogNormal(sqrt2 + log(d)/2, sqrt3), noise
  // LogNormal(-4, 1), >= 1e-4, s2 = 1.
  static GpOptions botorch(Eigen::Index D);
  // As in Li et al. 2024, "A study of Bayesian neural network surrogates": l ~ Gamma(3,6),
  // s2 ~ Gamma(2,0.15), noise ~ Gamma(1.1,0.05), noise >= 1e-4, started at l = s2 = log 2, noise 2.
  static GpOptions gamma_priors(Eigen::Index D);
  // Puts inputs [offset, offset + width) into one group, as the one-hot code of a category.
  void tie(Eigen::Index offset, Eigen::Index width);
  // Takes d, the number of length-scales, into a dimension-scaled prior (one of family log_normal:
  // its deviation is kept); others stay as they are.
  void scale_prior_to(Eigen::Index d);
  Eigen::Index groups() const;
};

struct GpParameters {
  Vector lengthscales;  // (groups)
  double variance = 1.0;
  double noise_variance = 1e-2;
  double mean = 0.0;
  double slope = 0.0;  // of the quadratic mean
};

class GaussianProcess final : public Surrogate {
 public:
  explicit GaussianProcess(GpOptions options);

  void set_known_variances(ConstVectorRef variances) override { known_ = variances; }
  FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  FitReport update(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  // Conditions on data with these hyper-parameters, without fitting.
  void condition(const GpParameters& parameters, ConstMatrixRef X, ConstVectorRef y);

  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const override;
  std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const override;
  // Exact up to 1500 points; beyond, prior draws by random Fourier features, conditioned exactly
  // (Matheron's rule, Wilson et al. 2020).
  Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                          Rng rng) const override;
  bool has_fantasies() const override { return true; }
  std::unique_ptr<Surrogate> conditioned_on(ConstMatrixRef X, ConstVectorRef y) const override;
  double noise_variance() const override;
  Vector state() const override;
  bool set_state(ConstVectorRef state) override;

  const GpParameters& parameters() const { return parameters_; }
  const Regression& regression() const { return *regression_; }  // REQUIRES: fitted
  // The kernel these hyper-parameters stand for, over the D inputs.
  StationaryKernel kernel_of(const GpParameters& parameters) const;

 private:
  struct Objective;
  GpParameters start() const;
  GpParameters from_theta(ConstVectorRef theta) const;
  Vector to_theta(const GpParameters& parameters) const;
  Regression::Parameters regression_parameters() const;

  GpOptions options_;
  GpParameters parameters_;
  // The theta of the last fit, which the next one begins with; empty before. Kept as it is, since
  // log(exp(theta)) may differ in the last bit, and a restored fit must not.
  Vector fitted_;
  // Of the known variances, `count` from `first` on, standardized; empty where there are none.
  Vector known_of(Eigen::Index first, Eigen::Index count) const;

  Vector known_;  // (N) in units of y squared, or empty
  Standardize output_;
  std::optional<Regression> regression_;
};

}  // namespace vbo

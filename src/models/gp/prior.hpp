// SPDX-License-Identifier: MIT
// Prior densities of positive hyper-parameters, as log density and its derivative by log theta.
// The density is that of theta itself (no Jacobian), so the mode does not depend on how the
// optimizer parametrizes theta.
#pragma once

#include <cmath>

#include "numerics/special.hpp"

namespace vbo {

struct PositivePrior {
  enum class Family { flat, gamma, log_normal };
  Family family = Family::flat;
  double a = 0.0;  // gamma: shape; log_normal: mean of log theta
  double b = 1.0;  // gamma: rate;  log_normal: standard deviation of log theta

  static PositivePrior gamma(double shape, double rate) { return {Family::gamma, shape, rate}; }
  static PositivePrior log_normal(double mu, double sigma) {
    return {Family::log_normal, mu, sigma};
  }

  double log_density(double theta) const {
    const double t = std::log(theta);
    if (family == Family::gamma) return a * std::log(b) - std::lgamma(a) + (a - 1) * t - b * theta;
    if (family == Family::log_normal) {
      const double u = (t - a) / b;
      return -0.5 * u * u - t - std::log(b) - kLogSqrt2Pi;
    }
    return 0.0;
  }
  double slope(double theta) const {  // d log density / d log theta
    if (family == Family::gamma) return a - 1 - b * theta;
    if (family == Family::log_normal) return -(std::log(theta) - a) / (b * b) - 1;
    return 0.0;
  }
  double curvature(double theta) const {  // - d^2 log density / d log theta^2
    if (family == Family::gamma) return b * theta;
    if (family == Family::log_normal) return 1.0 / (b * b);
    return 0.0;
  }
  double mode() const {
    if (family == Family::gamma) return a > 1 ? (a - 1) / b : 1e-3 / b;
    if (family == Family::log_normal) return std::exp(a - b * b);
    return 1.0;
  }
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "models/laplace/curvature.hpp"
#include "nn/adam.hpp"
#include "numerics/flops.hpp"

namespace vbo {

double Evidence::value(double delta) const {
  const double complexity = (eigenvalues.array() / (sigma2 * delta)).log1p().sum();
  return -sse / (2.0 * sigma2) - 0.5 * n * std::log(2.0 * std::numbers::pi * sigma2) -
         0.5 * (complexity + delta * theta2);
}

// d/dlog delta: -1/2 [ sum_k (delta/(lambda_k/sigma2 + delta) - 1) + delta |theta|^2 ]
double Evidence::derivative(double delta) const {
  flops::add(4 * static_cast<std::uint64_t>(eigenvalues.size()));
  const double used = (delta / (eigenvalues.array() / sigma2 + delta) - 1.0).sum();
  return -0.5 * (used + delta * theta2);
}

double maximize_evidence(const Evidence& evidence, int steps) {
  nn::Adam<double> adam(1, {.learning_rate = 0.1});
  double log_delta = 0.0;
  for (int step = 0; step < steps; ++step) {
    const double gradient = -evidence.derivative(std::exp(log_delta));
    if (!std::isfinite(gradient)) break;
    adam.step(std::span(&log_delta, 1), std::span<const double>(&gradient, 1));
  }
  return std::exp(log_delta);
}

}  // namespace vbo

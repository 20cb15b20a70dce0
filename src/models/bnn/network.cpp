// SPDX-License-Identifier: MIT
#include "models/bnn/network.hpp"

#include <cmath>

#include "nn/adam.hpp"
#include "nn/init.hpp"

namespace vbo {

nn::MlpShape network_shape(const NetworkOptions& options, Eigen::Index inputs) {
  std::vector<int> widths = {static_cast<int>(inputs)};
  for (const std::int64_t width : options.widths) widths.push_back(static_cast<int>(width));
  widths.push_back(1);
  return nn::MlpShape(widths, options.activation);
}

Vector random_weights(const nn::MlpShape& shape, Rng& rng) {
  Vector theta(shape.parameters());
  nn::init_uniform_fan_in<double>(shape, std::span(theta.data(), theta.size()), rng);
  return theta;
}

double minimize_by_adam(const LossGradient& loss, const AdamRun& run, Vector& theta) {
  nn::Adam<double> adam(theta.size(),
                        {.learning_rate = run.learning_rate, .weight_decay = run.weight_decay});
  const auto size = static_cast<std::size_t>(theta.size());
  Vector gradient(theta.size()), last = theta;
  double value = 0.0, last_value = 0.0;
  for (int step = 0; step < run.steps; ++step) {
    value = loss(theta, gradient);
    if (!std::isfinite(value) || !gradient.allFinite()) {
      theta = last;
      return last_value;
    }
    last = theta;
    last_value = value;
    if (run.cosine) adam.set_learning_rate(nn::cosine_rate(run.learning_rate, step, run.steps));
    adam.step(std::span(theta.data(), size), std::span<const double>(gradient.data(), size));
  }
  return last_value;
}

}  // namespace vbo

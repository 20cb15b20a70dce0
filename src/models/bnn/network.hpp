// SPDX-License-Identifier: MIT
// What the Bayesian networks have in common: the shape of the network, its starting weights, and
// training by Adam.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo {

struct NetworkOptions {
  std::vector<std::int64_t> widths = {128, 128, 128};  // hidden layers
  nn::Activation activation = nn::Activation::tanh;
};

// `inputs` -> widths -> 1.
nn::MlpShape network_shape(const NetworkOptions& options, Eigen::Index inputs);

// theta (W) ~ U(+-1/sqrt(fan in)), and `steps` Adam steps that minimize `loss`, which returns a
// value and writes its gradient. A step that meets a non-finite loss ends it early at the last
// finite parameters.
using LossGradient = std::function<double(ConstVectorRef theta, VectorRef gradient)>;
Vector random_weights(const nn::MlpShape& shape, Rng& rng);
struct AdamRun {
  double learning_rate = 1e-3;
  double weight_decay = 0.0;
  bool cosine = false;  // anneals the rate to zero
  int steps = 1000;
};
// Returns the loss before the last step.
double minimize_by_adam(const LossGradient& loss, const AdamRun& run, Vector& theta);

}  // namespace vbo

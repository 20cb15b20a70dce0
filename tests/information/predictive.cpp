// SPDX-License-Identifier: MIT
#include "information/predictive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "numerics/flops.hpp"

namespace vbo {

Matrix predictive_weights(ConstMatrixRef logits) {
  Matrix weights(logits.rows(), logits.cols());
  for (Eigen::Index n = 0; n < logits.cols(); ++n) {
    auto w = weights.col(n).array();
    w = (logits.col(n).array() - logits.col(n).maxCoeff()).exp();
    w /= w.sum();
  }
  flops::add(4 * static_cast<std::uint64_t>(logits.size()));
  return weights;
}

double predictive_mean(ConstVectorRef weights, ConstVectorRef levels) {
  return weights.dot(levels);
}

double predictive_variance(ConstVectorRef weights, ConstVectorRef levels) {
  const double mean = predictive_mean(weights, levels);
  return weights.dot((levels.array() - mean).square().matrix());
}

double predictive_entropy(ConstVectorRef weights) {
  double entropy = 0.0;
  for (const double w : weights) {
    if (w > 0.0) entropy -= w * std::log(w);
  }
  return entropy;
}

double predictive_quantile(ConstVectorRef weights, ConstVectorRef levels, double p) {
  assert(levels.size() >= 1 && p >= 0.0 && p <= 1.0);
  // c_j = sum_{l<j} w_l + w_j / 2 is the probability below the centre of level j's mass.
  double below = 0.0;
  double previous_c = 0.0;
  for (Eigen::Index j = 0; j < levels.size(); ++j) {
    const double c = below + 0.5 * weights[j];
    if (p <= c) {
      if (j == 0 || c <= previous_c) return levels[j];
      const double t = (p - previous_c) / (c - previous_c);
      return levels[j - 1] + std::clamp(t, 0.0, 1.0) * (levels[j] - levels[j - 1]);
    }
    previous_c = c;
    below += weights[j];
  }
  return levels[levels.size() - 1];
}

double probability_of_improvement(ConstVectorRef weights, ConstVectorRef levels, double best) {
  return (levels.array() > best).select(weights, 0.0).sum();
}

double expected_improvement(ConstVectorRef weights, ConstVectorRef levels, double best) {
  return weights.dot((levels.array() - best).max(0.0).matrix());
}

}  // namespace vbo

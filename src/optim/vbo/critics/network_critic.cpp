// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/network_critic.hpp"

#include "optim/vbo/constants.hpp"

namespace vbo {

Learning NetworkCritic::learning(const Archive& archive, const Replay& replay, std::int64_t round) {
  const int steps = steps_ * (round == 0 ? Tuning::first_round_steps : 1);
  return {networks_.training(archive, replay, coordinates_, steps, round)};
}

Matrix NetworkCritic::predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const {
  return levels.merged(
      networks_.evaluate(coordinates_, X.cast<float>(), {}, threads, workspace_).predictive);
}

Vector NetworkCritic::mean(ConstMatrixRef X, int threads, Matrix* slope) const {
  const DecompositionWeights expected{0.0, 0.0, 1.0};
  if (!slope) {
    return networks_.evaluate(coordinates_, X.cast<float>(), expected, threads, workspace_)
        .mean.cast<double>();
  }
  MatrixOf<float> dX;  // of the mean over the N inputs
  const Vector mean =
      networks_.evaluate(coordinates_, X.cast<float>(), expected, threads, workspace_, dX)
          .mean.cast<double>();
  *slope = static_cast<double>(X.cols()) * dX.cast<double>();
  return mean;
}

}  // namespace vbo

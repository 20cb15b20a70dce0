// SPDX-License-Identifier: MIT
// The surrogate: K critics D_k(x, y) that differ in initialization and in the data order they saw.
// Critic k scores all M outcome levels y_j at once; softmax_j D_k(x, y_j) is its predictive
// distribution of the outcome at x, and training maximizes the self-normalized bound
//   I_SN = mean_i [ D(x_i, y_i) - log mean_j e^{D(x_i, y_j)} ] = ln M - cross-entropy  <=  I(X;Y).
// Levels are normal scores of ranks. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "information/decomposition.hpp"
#include "nn/ensemble.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/frame.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class Critics {
 public:
  Critics(Eigen::Index inputs, const VboOptions& options, std::uint64_t seed);

  int size() const { return ensemble_.size(); }
  const VectorOf<float>& levels() const { return levels_; }  // y_j (M), ascending
  double ceiling() const;                                    // ln M, nats

  // `steps` Adam steps per critic on minibatches of `archive`. Only a bounded pool of results is
  // touched, so a round costs the same at any number of them.
  void train(const Archive& archive, const Replay& replay, const Frame& frame, int steps,
             std::int64_t round, int threads);

  // I_SN of the results `indices` under the ensemble's mean prediction: made before training on
  // them, an estimate nobody has overfitted. Nats.
  double held_out_information(const Archive& archive, const Replay& replay, const Frame& frame,
                              const std::vector<int>& indices, int threads);

  // What the critics say about codes X (D,N); terms weighted by `weights`.
  const DecompositionOf<float>& evaluate(const Frame& frame, nn::InputRef<float> X,
                                         const DecompositionWeights& weights, int threads);
  // The same with d objective / dX (D,N).
  const DecompositionOf<float>& evaluate(const Frame& frame, nn::InputRef<float> X,
                                         const DecompositionWeights& weights, int threads,
                                         MatrixOf<float>& dX);

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  struct Pool;
  Pool draw_pool(const Archive& archive, const Replay& replay, const Frame& frame,
                 std::int64_t round) const;
  void score(nn::InputRef<float> Z, int threads, bool keep);

  VboOptions options_;
  std::uint64_t seed_;
  VectorOf<float> levels_;
  nn::Ensemble<float> ensemble_;
  MatrixOf<float> features_;  // (F,N) of the last evaluate()
  MatrixOf<float> logits_;    // (M,K*N)
  DecompositionOf<float> terms_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The surrogate: K critics D_k(x, y) that differ in initialization and in the data order they saw.
// A critic's score is a polynomial in the outcome with coefficients from a network,
//   D_k(x, y) = sum_f a_kf(x) y^f / f!,   f = 1..F,
// so that neighbouring outcomes share what is learned; with F = 2 the predictive distribution
// softmax_j D_k(x, y_j) over the M levels y_j would be a normal one, higher powers bend it.
// Training maximizes the self-normalized bound
//   I_SN = mean_i [ D(x_i, y_i) - log mean_j e^{D(x_i, y_j)} ] = ln M - cross-entropy  <=  I(X;Y).
// Levels are normal scores of ranks. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "information/decomposition.hpp"
#include "nn/ensemble.hpp"
#include "numerics/parallel.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class Networks {
 public:
  Networks(Eigen::Index inputs, const VboOptions& options, std::uint64_t seed);

  int size() const { return ensemble_.size(); }
  const VectorOf<float>& levels() const { return levels_; }  // y_j (M), ascending
  double ceiling() const;                                    // ln M, nats

  // `steps` Adam steps per critic on minibatches of `archive`. Only a bounded pool of results is
  // touched, so a round costs the same at any number of them.
  void train(const Archive& archive, const Replay& replay, const LocalCoordinates& coordinates,
             int steps, std::int64_t round, int threads);
  // The same as one piece of work per critic, to be done in any order or at once before anything
  // else is asked of the critics. `replay` may end before.
  std::vector<Piece> training(const Archive& archive, const Replay& replay,
                              const LocalCoordinates& coordinates, int steps, std::int64_t round);

  // Where an evaluation computes and leaves what it found. Several at once need one each.
  struct Workspace {
    MatrixOf<float> features;                     // (F,N)
    MatrixOf<float> logits;                       // (M,K*N) D_k(x_i, y_j)
    std::vector<nn::MlpWorkspace<float>> passes;  // (K)
    std::vector<MatrixOf<float>> slopes;          // (K) dL/dfeatures (F,N) of each critic
    DecompositionOf<float> terms;
  };
  // What the critics predict for codes X (D,N); terms weighted by `weights`.
  const DecompositionOf<float>& evaluate(const LocalCoordinates& coordinates, nn::InputRef<float> X,
                                         const DecompositionWeights& weights, int threads,
                                         Workspace& workspace) const;
  // The same with d objective / dX (D,N).
  const DecompositionOf<float>& evaluate(const LocalCoordinates& coordinates, nn::InputRef<float> X,
                                         const DecompositionWeights& weights, int threads,
                                         Workspace& workspace, MatrixOf<float>& dX) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  struct Pool;
  Pool draw_pool(const Archive& archive, const Replay& replay, const LocalCoordinates& coordinates,
                 std::int64_t round) const;
  double loss_of_minibatch(const Pool& pool, nn::Member<float>& member, MatrixOf<float>& P,
                           MatrixOf<float>& logits) const;
  void score(const LocalCoordinates& coordinates, nn::InputRef<float> X, Eigen::Index first,
             Eigen::Index N, MatrixOf<float>& logits) const;
  MatrixOf<float> pull_back(nn::InputRef<float> d_logits) const;
  void add_up(nn::InputRef<float> coefficients, Eigen::Ref<MatrixOf<float>> logits) const;

  VboOptions options_;
  std::uint64_t seed_;
  VectorOf<float> levels_;
  MatrixOf<float> powers_;  // (M,F) y_j^f / f!
  nn::Ensemble<float> ensemble_;
};

}  // namespace vbo

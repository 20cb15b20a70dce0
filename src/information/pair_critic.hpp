// SPDX-License-Identifier: MIT
// A critic for pairs, T(x,y) = base(x,y) + network([x;y]), trained to maximize an estimator of
// mutual information. The network sees both sides at once: one that scores g(x) . h(y) needs a
// single product for all B^2 pairs of a batch, but was clearly worse on sharp dependence (uniform
// noise: 1.18 of 1.35 nats, against 1.31). So a batch pairs each x with a few references instead.
// Single precision. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "information/estimators.hpp"
#include "information/gaussian_critic.hpp"
#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo {

// Paired samples in single precision with the base critic's features beside them.
struct PairedSamples {
  PairedSamples(ConstMatrixRef X, ConstMatrixRef Y, const GaussianCritic& base);

  int size() const { return static_cast<int>(X.cols()); }

  MatrixOf<float> X, Y;                       // (Dx,N), (Dy,N)
  MatrixOf<float> left, right;                // (k,N): base(x_i, y_j) = left_i . right_j
  VectorOf<float> left_offset, right_offset;  // (N)                    + offsets
};

struct PairCriticOptions {
  int hidden = 64;  // units in each of two ReLU layers
  double learning_rate = 2e-3;
  double weight_decay = 1e-4;
  double average = 0.98;      // memory of the averaged parameters that scores() uses, in [0,1)
  double score_offset = 0.0;  // added to every score: 1 for nwj, whose best critic is 1 + log ratio
};

class PairCritic {
 public:
  PairCritic(int x_dimension, int y_dimension, const PairCriticOptions& options, Rng rng);

  // One Adam step up the estimator's gradient. True pairs (i, i) for i in `batch`; each x_i also
  // meets `references` y's drawn from `pool`. Estimators that count the true pairs among the
  // references do so here. Returns the estimate before the step.
  double step(const PairedSamples& samples, const std::vector<int>& batch,
              const std::vector<int>& pool, int references, ScoreEstimator<float>& estimator,
              Rng& rng);
  void set_learning_rate(double rate) { adam_.set_learning_rate(rate); }

  // T(x_i, y_j) for i in rows, j in columns, by the averaged parameters.
  MatrixOf<float> scores(const PairedSamples& samples, const std::vector<int>& rows,
                         const std::vector<int>& columns);
  // T(x_i, y_r): column 0 the true pairs (i, i), the others references(i, .), sample numbers.
  MatrixOf<float> scores(const PairedSamples& samples, const std::vector<int>& rows,
                         const Eigen::MatrixXi& references);

  // The averaged parameters, to keep the best and return to it.
  const VectorOf<float>& averaged() const { return averaged_; }
  void restore(const VectorOf<float>& averaged) { averaged_ = averaged; }

 private:
  // Inputs [x_i; y_j] and base scores of pairs (x[p], y[p]).
  void load_pairs(const PairedSamples& samples);
  void predict_pairs(const PairedSamples& samples);  // fills scores_ by the averaged parameters

  PairCriticOptions options_;
  nn::Mlp<float> net_;
  nn::Adam<float> adam_;
  VectorOf<float> averaged_;

  // Scratch of the current pairs.
  std::vector<int> x_, y_;
  MatrixOf<float> inputs_;             // (Dx+Dy,P)
  VectorOf<float> base_;               // (P)
  MatrixOf<float> scores_, d_scores_;  // (1,P)
  VectorOf<float> d_joint_;
  MatrixOf<float> d_references_;
};

}  // namespace vbo

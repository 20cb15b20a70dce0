// SPDX-License-Identifier: MIT
#include "information/decomposition.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "numerics/flops.hpp"
#include "numerics/parallel.hpp"

namespace vbo {
namespace {

using Index = Eigen::Index;

// log q with q = 0 replaced by the smallest normal number, so that 0 log 0 is 0 and not NaN.
template <class Derived>
auto safe_log(const Eigen::ArrayBase<Derived>& q) {
  using T = typename Derived::Scalar;
  return q.max(std::numeric_limits<T>::min()).log();
}

// Calls work(i) for every input, some at a time on each thread.
template <class Work>
void for_inputs(Index inputs, int threads, const Work& work) {
  const Index together = std::clamp<Index>(inputs / std::max(threads, 1), 32, 256);
  parallel_for(threads, static_cast<int>((inputs + together - 1) / together), [&](int block) {
    const Index end = std::min(inputs, together * (block + 1));
    for (Index i = together * block; i < end; ++i) work(i);
  });
}

// w = softmax(logits) per column, with log-partition and sum w log w; p_i = mean_k w^k_i.
template <class T>
void softmax_columns(const Eigen::Ref<const MatrixOf<T>>& logits, Index critics, int threads,
                     DecompositionOf<T>& out) {
  const Index inputs = logits.cols() / critics;
  for_inputs(inputs, threads, [&](Index i) {
    out.predictive.col(i).setZero();
    for (Index k = 0; k < critics; ++k) {
      const Index c = k * inputs + i;
      const auto D = logits.col(c).array();
      auto w = out.weights.col(c).array();
      const T top = D.maxCoeff();
      w = (D - top).exp();
      const T sum = w.sum();
      w *= T(1) / sum;
      const T log_partition = top + std::log(sum);
      out.log_partition[c] = log_partition;
      // sum_j w_j log w_j with log w_j = D_j - log sum e^D
      out.negative_entropy[c] = (w * (D - log_partition)).sum();
      out.predictive.col(i).array() += w;
    }
    out.predictive.col(i) *= T(1) / static_cast<T>(critics);
  });
}

// Means, entropies and shares of every input, and the batch's sums.
template <class T>
void summarize_inputs(Index critics, const Eigen::Ref<const VectorOf<T>>& levels,
                      const DecompositionWeights& weights, int threads, DecompositionOf<T>& out) {
  const Index inputs = out.predictive.cols();
  out.marginal.noalias() = out.predictive.rowwise().mean();
  out.log_marginal = safe_log(out.marginal.array());
  out.mean.noalias() = out.predictive.transpose() * levels;
  for_inputs(inputs, threads, [&](Index i) {
    const auto p = out.predictive.col(i).array();
    auto log_p = out.log_predictive.col(i).array();
    log_p = safe_log(p);
    const T entropy = -(p * log_p).sum();
    const T divergence = (p * (log_p - out.log_marginal.array())).sum();
    T critic_entropy = 0;
    for (Index k = 0; k < critics; ++k) critic_entropy -= out.negative_entropy[k * inputs + i];
    critic_entropy /= static_cast<T>(critics);
    out.predictive_entropy[i] = entropy;
    out.critic_entropy[i] = critic_entropy;
    // Non-negative in exact arithmetic.
    out.input_information[i] = std::max(divergence, T(0));
    out.model_information[i] = std::max(entropy - critic_entropy, T(0));
  });
  double entropies = 0.0, conditional = 0.0;
  for (Index i = 0; i < inputs; ++i) {
    entropies += static_cast<double>(out.predictive_entropy[i]);
    conditional += static_cast<double>(out.critic_entropy[i]);
  }
  out.score = static_cast<T>(weights.mean_weight) * out.mean +
              static_cast<T>(weights.input_weight) * out.input_information +
              static_cast<T>(weights.model_weight) * out.model_information;
  const auto n = static_cast<double>(inputs);
  out.marginal_entropy =
      -static_cast<double>((out.marginal.array() * out.log_marginal.array()).sum());
  out.input_information_mean = std::max(0.0, out.marginal_entropy - entropies / n);
  out.model_information_mean = std::max(0.0, (entropies - conditional) / n);
  out.total_information = out.input_information_mean + out.model_information_mean;
  out.mean_of_means = out.mean.template cast<double>().mean();
  out.objective = weights.mean_weight * out.mean_of_means +
                  weights.input_weight * out.input_information_mean +
                  weights.model_weight * out.model_information_mean;
}

// With c = mean_weight, a = input_weight, b = model_weight, and constants that the softmax removes
// left out,
//   K B d objective / d w^k_ij = g = c y_j + a (log p_ij - log p_j) + b (log w^k_ij - log p_ij)
//   K B d objective / d D^k_ij = w_ij (g_ij - sum_l w_il g_il)
template <class T>
void differentiate(const Eigen::Ref<const MatrixOf<T>>& logits, Index critics,
                   const Eigen::Ref<const VectorOf<T>>& levels, const DecompositionWeights& weights,
                   DecompositionOf<T>& out) {
  const Index inputs = out.predictive.cols();
  const T scale = T(1) / static_cast<T>(logits.cols());
  const T a = static_cast<T>(weights.input_weight);
  const T b = static_cast<T>(weights.model_weight);
  for (Index i = 0; i < inputs; ++i) {
    // The part of g shared by all critics.
    out.slope = static_cast<T>(weights.mean_weight) * levels - a * out.log_marginal +
                (a - b) * out.log_predictive.col(i);
    for (Index k = 0; k < critics; ++k) {
      const Index c = k * inputs + i;
      const auto w = out.weights.col(c).array();
      auto g = out.gradient.col(c).array();
      g = out.slope.array() + b * (logits.col(c).array() - out.log_partition[c]);
      const T average = (w * g).sum();
      g = scale * w * (g - average);
    }
  }
}

}  // namespace

template <class T>
void decompose_information(const Eigen::Ref<const MatrixOf<T>>& logits, int critics,
                           const Eigen::Ref<const VectorOf<T>>& levels,
                           const DecompositionWeights& weights, WithGradient with_gradient,
                           DecompositionOf<T>& out, int threads) {
  assert(critics >= 1 && logits.cols() % critics == 0 && logits.rows() == levels.size());
  const Index M = logits.rows();
  const Index columns = logits.cols();
  const Index B = columns / critics;
  out.weights.resize(M, columns);
  out.log_partition.resize(columns);
  out.negative_entropy.resize(columns);
  out.predictive.resize(M, B);
  out.log_predictive.resize(M, B);
  out.marginal.resize(M);
  out.log_marginal.resize(M);
  out.slope.resize(M);
  for (VectorOf<T>* v : {&out.mean, &out.predictive_entropy, &out.critic_entropy,
                         &out.input_information, &out.model_information, &out.score}) {
    v->resize(B);
  }
  softmax_columns<T>(logits, critics, threads, out);
  summarize_inputs<T>(critics, levels, weights, threads, out);
  // Per column: subtract, exp, sum, scale, w log w (3), add to p; per input 2 M log, products.
  const auto cells = static_cast<std::uint64_t>(M * columns);
  const auto pooled = static_cast<std::uint64_t>(M * B);
  flops::add(8 * cells + 3 * static_cast<std::uint64_t>(columns) + 10 * pooled +
             static_cast<std::uint64_t>(4 * M + 8 * B));
  if (with_gradient == WithGradient::yes) {
    out.gradient.resize(M, columns);
    differentiate<T>(logits, critics, levels, weights, out);
    flops::add(8 * cells + 4 * pooled);
  }
}

template void decompose_information<float>(const Eigen::Ref<const MatrixOf<float>>&, int,
                                           const Eigen::Ref<const VectorOf<float>>&,
                                           const DecompositionWeights&, WithGradient,
                                           DecompositionOf<float>&, int);
template void decompose_information<double>(const Eigen::Ref<const MatrixOf<double>>&, int,
                                            const Eigen::Ref<const VectorOf<double>>&,
                                            const DecompositionWeights&, WithGradient,
                                            DecompositionOf<double>&, int);

}  // namespace vbo

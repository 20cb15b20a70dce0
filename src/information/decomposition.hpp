// SPDX-License-Identifier: MIT
// What a batch of inputs would tell, in nats, seen by an ensemble of critics: how much their
// outcomes Y say about which input they came from, and how much about the function f itself.
// Every critic k gives each input x_i a predictive distribution over M outcome levels,
//   w^k_i = softmax_j D_k(x_i, y_j),   p_i = mean_k w^k_i,   p = mean_i p_i,
// and the chain rule splits the information with H(q) = -sum_j q_j log q_j:
//   I(X,f;Y) = H(p) - mean_{i,k} H(w^k_i)
//            = { H(p) - mean_i H(p_i) }  +  { mean_i [ H(p_i) - mean_k H(w^k_i) ] }
//            =   I(X;Y)                  +    I(f;Y|X)
// The result object is also the workspace: keep it, and after the first call of a shape nothing is
// allocated. Not thread-safe on the same object.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

// objective = mean_weight * mean_i m(x_i) + input_weight * I(X;Y) + model_weight * I(f;Y|X);
// both information weights equal to sqrt(beta) is the objective of the action-net.
struct DecompositionWeights {
  double input_weight = 1.0;
  double model_weight = 1.0;
  double mean_weight = 1.0;
};

// B inputs, K critics, M levels.
template <class T>
struct DecompositionOf {
  // Per input.
  VectorOf<T> mean;                // (B) m(x_i) = sum_j p_ij y_j: exploitation
  VectorOf<T> predictive_entropy;  // (B) H(p_i)
  VectorOf<T> critic_entropy;      // (B) mean_k H(w^k_i)
  VectorOf<T> input_information;   // (B) KL(p_i || p) >= 0, mean over i = I(X;Y)
  VectorOf<T> model_information;   // (B) H(p_i) - mean_k H(w^k_i) >= 0, mean over i = I(f;Y|X)
  VectorOf<T> score;               // (B) this input's share of the objective, whose mean it is
  MatrixOf<T> predictive;          // (M,B) p_i
  VectorOf<T> marginal;            // (M) p

  // Of the batch, in nats.
  double marginal_entropy = 0.0;        // H(p)
  double input_information_mean = 0.0;  // I(X;Y) <= min(ln B, ln M)
  double model_information_mean = 0.0;  // I(f;Y|X) <= min(ln K, ln M)
  double total_information = 0.0;       // I(X,f;Y), their sum
  double mean_of_means = 0.0;           // mean_i m(x_i)
  double objective = 0.0;

  MatrixOf<T> gradient;  // (M,K*B) d objective / d logits, when asked for

  // Scratch.
  MatrixOf<T> weights;           // (M,K*B) w^k_i
  VectorOf<T> log_partition;     // (K*B) log sum_j exp(logit)
  VectorOf<T> negative_entropy;  // (K*B) sum_j w log w
  MatrixOf<T> log_predictive;    // (M,B) log p_i
  VectorOf<T> log_marginal;      // (M) log p
  VectorOf<T> slope;             // (M)
};

enum class WithGradient { no, yes };

// logits (M,K*B): critic k's scores D_k(x_i, y_j) in column k*B + i, row j. levels (M): the outcome
// levels y_j, or any utility of them. Fills `out`; its gradient only when asked.
// The same bits on any number of threads; the gradient is made by one.
// REQUIRES: critics >= 1, logits.cols() a multiple of critics, finite logits.
template <class T>
void decompose_information(const Eigen::Ref<const MatrixOf<T>>& logits, int critics,
                           const Eigen::Ref<const VectorOf<T>>& levels,
                           const DecompositionWeights& weights, WithGradient with_gradient,
                           DecompositionOf<T>& out, int threads = 1);

}  // namespace vbo

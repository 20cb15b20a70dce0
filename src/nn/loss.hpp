// SPDX-License-Identifier: MIT
// Losses with their gradients, and the softmax. Each returns the mean over the N samples (columns)
// and, where dY is not nullptr, writes its gradient there. No allocation.
#pragma once

#include <span>

#include "nn/mlp.hpp"

namespace vbo::nn {

// L = 1/(O N) sum (Y - target)^2;  dL/dY = 2 (Y - target) / (O N).  All (O,N).
template <class T>
double mse(InputRef<T> Y, InputRef<T> target, MatrixOf<T>* dY);

// W (M,N): each column the softmax of the column of `logits` (M,N). In place if W is logits.
template <class T>
void softmax(InputRef<T> logits, OutputRef<T> W);

// L = -1/N sum_n log w[target_n, n], w = softmax(logits) (M,N);
// dL/dlogits = (w - onehot(target)) / N.  REQUIRES: 0 <= target_n < M.
template <class T>
double softmax_cross_entropy(InputRef<T> logits, std::span<const int> target, MatrixOf<T>* dlogits);

// L = -1/N sum_{m,n} p[m,n] log w[m,n]: soft targets P (M,N) whose columns sum to one;
// dL/dlogits = (w - P) / N.
template <class T>
double softmax_cross_entropy(InputRef<T> logits, InputRef<T> P, MatrixOf<T>* dlogits);

}  // namespace vbo::nn

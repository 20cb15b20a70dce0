// SPDX-License-Identifier: MIT
// Categorical choices a gradient can pass through: the Gumbel-softmax relaxation (Jang, Gu, Poole
// 2017; Maddison, Mnih, Teh 2017) and its straight-through form. One column is one choice among K.
#pragma once

#include "nn/mlp.hpp"

namespace vbo::nn {

// Y (K,N): columns softmax((A + G) / tau), G = -log(-log U), for logits A (K,N) and uniforms
// U (K,N), which are moved into (1e-10, 1 - 1e-10). REQUIRES: tau > 0.
template <class T>
void gumbel_softmax(InputRef<T> A, InputRef<T> U, double tau, OutputRef<T> Y);

// dA = Y (dY - 1 y^T dY) / tau per column: dL/dA from dL/dY, all (K,N). dA may be dY.
// Straight-through: give it the dL/dY of the one-hot choice.
template <class T>
void gumbel_softmax_backward(InputRef<T> Y, InputRef<T> dY, double tau, OutputRef<T> dA);

// Each column becomes one-hot at its largest element, the first of equals. In place if `hard` is Y.
template <class T>
void one_hot_argmax(InputRef<T> Y, OutputRef<T> hard);

// Temperature falling geometrically from `start` at step 0 to `end` at `steps`, and `end` after it.
double geometric_temperature(double start, double end, int step, int steps);

}  // namespace vbo::nn

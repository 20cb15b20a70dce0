// SPDX-License-Identifier: MIT
// The Jacobian of a one-output network with respect to its weights, in the factored form that
// makes it affordable: for layer l, df/dW_l = s_l a_{l-1}' and df/db_l = s_l, with a_{l-1} the
// layer's input and s_l = df/dz_l, z_l = W_l a_{l-1} + b_l. No state: thread-safe.
#pragma once

#include <vector>

#include "nn/mlp.hpp"
#include "numerics/linalg.hpp"

namespace vbo {

struct Jacobian {
  Vector f;               // (q) outputs
  std::vector<Matrix> A;  // per layer l = 1..L: a_{l-1} (inputs_l, q); A[0] = X
  std::vector<Matrix> S;  // per layer l = 1..L: s_l (outputs_l, q)
  Eigen::Index points() const { return f.size(); }
};

// REQUIRES: hidden activations tanh or relu, linear output, one output. X (D,q).
Jacobian jacobian(const nn::MlpShape& shape, ConstVectorRef theta, ConstMatrixRef X);

// J w (q): the change of the outputs when the weights move by w (W), to first order.
Vector times(const nn::MlpShape& shape, const Jacobian& J, ConstVectorRef w);
// J' v (W), v (q).
Vector transpose_times(const nn::MlpShape& shape, const Jacobian& J, ConstVectorRef v);
// J_1 J_2' (q1,q2) = sum_l (S_1' S_2) o (A_1' A_2 + 1), without ever forming J.
Matrix gram(const Jacobian& J1, const Jacobian& J2);

// dL/df (q), dL/dA and dL/dS (as in Jacobian; an empty vector = all zero) -> dL/dX (D,q):
// backpropagation through both the outputs and their derivatives. `adjoint` is used up.
Matrix pullback(const nn::MlpShape& shape, ConstVectorRef theta, const Jacobian& J,
                Jacobian adjoint);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Elementwise nonlinearities on flat arrays, vectorized; an element's result does not depend on its
// position. Operation counts per element: see activation_flops().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nn/gemm.hpp"

namespace vbo::nn {

enum class Activation : std::uint8_t {
  linear,  // y = z
  tanh,    // y = tanh z
  relu,    // y = max(0, z)
  silu,    // y = z s(z), s the logistic function
  elu,     // y = z > 0 ? z : e^z - 1
};

std::string_view to_string(Activation activation);

// The derivative of silu is not a function of its output, so forward() leaves it in `slope`.
constexpr bool needs_slope(Activation activation) { return activation == Activation::silu; }

// y[i] = phi(y[i]) for i < n. `slope` (n) receives phi' where needs_slope(); nullptr if no
// backward() follows.
template <class T>
void activate(Activation activation, Index n, T* y, T* slope);

// dz[i] = dy[i] phi'(z[i]) for i < n, from the outputs y (and `slope` of activate()).
// dz may be dy.
template <class T>
void activate_backward(Activation activation, Index n, const T* y, const T* slope, const T* dy,
                       T* dz);

// Operations per element that the two functions above count.
struct ActivationFlops {
  std::uint64_t forward, slope, backward;
};
constexpr ActivationFlops activation_flops(Activation activation) {
  switch (activation) {
    case Activation::linear:
      return {0, 0, 0};
    case Activation::tanh:
      return {1, 0, 3};  // tanh | 1 - y y, times dy
    case Activation::relu:
      return {1, 0, 1};  // max | select
    case Activation::silu:
      return {4, 4, 1};  // e^-z, +, /, z s | s + y (1 - s) in three, and s
    case Activation::elu:
      return {2, 0, 2};  // e^z, - | y + 1, times dy
  }
  return {0, 0, 0};
}

}  // namespace vbo::nn

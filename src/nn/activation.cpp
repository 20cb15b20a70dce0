// SPDX-License-Identifier: MIT
#include "nn/activation.hpp"

#include <algorithm>
#include <array>

#include "nn/vector_math.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {
namespace {

using simd::load;
using simd::store;
using simd::Vec;

constexpr std::array<std::string_view, 5> kNames = {"linear", "tanh", "relu", "silu", "elu"};

// s(z) = 1 / (1 + e^-z);  y = z s;  dy/dz = s + y (1 - s)
template <class T>
void silu_with_slope(Index n, T* y, T* slope) {
  constexpr int V = simd::kWidth<T>;
  const auto evaluate = [](Vec<T>& z, Vec<T>& derivative) {
    const Vec<T> s = simd::logistic<T>(z);
    z *= s;
    derivative = s + z * (T(1) - s);
  };
  Vec<T> z, derivative;
  Index i = 0;
  for (; i + V <= n; i += V) {
    load(y + i, z);
    evaluate(z, derivative);
    store(z, y + i);
    store(derivative, slope + i);
  }
  if (i < n) {
    const auto rest = static_cast<std::size_t>(n - i) * sizeof(T);
    z = Vec<T>{};
    std::memcpy(&z, y + i, rest);
    evaluate(z, derivative);
    std::memcpy(y + i, &z, rest);
    std::memcpy(slope + i, &derivative, rest);
  }
}

}  // namespace

std::string_view to_string(Activation activation) {
  return kNames[static_cast<std::size_t>(activation)];
}

template <class T>
void activate(Activation activation, Index n, T* y, T* slope) {
  const ActivationFlops cost = activation_flops(activation);
  flops::add((cost.forward + (slope ? cost.slope : 0)) * static_cast<std::uint64_t>(n));
  using V = Vec<T>;
  switch (activation) {
    case Activation::linear:
      return;
    case Activation::tanh:
      return simd::transform(n, y, y, [](V z) { return simd::tanh(z); });
    case Activation::relu:
      return simd::transform(n, y, y, [](V z) -> V { return z < T(0) ? V{} : z; });
    case Activation::silu:
      if (slope) return silu_with_slope(n, y, slope);
      return simd::transform(n, y, y, [](V z) -> V { return z * simd::logistic<T>(z); });
    case Activation::elu:
      return simd::transform(n, y, y,
                             [](V z) -> V { return z > T(0) ? z : simd::exp<T>(z) - T(1); });
  }
}

template <class T>
void activate_backward(Activation activation, Index n, const T* y, const T* slope, const T* dy,
                       T* dz) {
  flops::add(activation_flops(activation).backward * static_cast<std::uint64_t>(n));
  switch (activation) {
    case Activation::linear:
      if (dz != dy) std::copy_n(dy, n, dz);
      return;
    case Activation::tanh:  // 1 - y^2
      for (Index i = 0; i < n; ++i) dz[i] = dy[i] * (T(1) - y[i] * y[i]);
      return;
    case Activation::relu:  // y > 0
      for (Index i = 0; i < n; ++i) dz[i] = y[i] > T(0) ? dy[i] : T(0);
      return;
    case Activation::silu:
      for (Index i = 0; i < n; ++i) dz[i] = dy[i] * slope[i];
      return;
    case Activation::elu:  // e^z = y + 1 below zero
      for (Index i = 0; i < n; ++i) dz[i] = y[i] > T(0) ? dy[i] : dy[i] * (y[i] + T(1));
      return;
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define VBO_INSTANTIATE(T)                           \
  template void activate(Activation, Index, T*, T*); \
  template void activate_backward(Activation, Index, const T*, const T*, const T*, T*);
// NOLINTEND(bugprone-macro-parentheses)
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn

// SPDX-License-Identifier: MIT
#include "nn/gumbel.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/loss.hpp"
#include "nn/shapes.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {

template <class T>
void gumbel_softmax(InputRef<T> A, InputRef<T> U, double tau, OutputRef<T> Y) {
  expect_shape("gumbel_softmax: U", U.rows(), U.cols(), A.rows(), A.cols());
  expect_shape("gumbel_softmax: Y", Y.rows(), Y.cols(), A.rows(), A.cols());
  assert(tau > 0);
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index k = 0; k < A.rows(); ++k) {
      const double u = std::clamp(static_cast<double>(U(k, j)), 1e-10, 1.0 - 1e-10);
      Y(k, j) = static_cast<T>((static_cast<double>(A(k, j)) - std::log(-std::log(u))) / tau);
    }
  }
  flops::add(static_cast<std::uint64_t>(4 * A.size()));  // two logarithms, -, /
  softmax<T>(Y, Y);
}

template <class T>
void gumbel_softmax_backward(InputRef<T> Y, InputRef<T> dY, double tau, OutputRef<T> dA) {
  expect_shape("gumbel_softmax: dY", dY.rows(), dY.cols(), Y.rows(), Y.cols());
  expect_shape("gumbel_softmax: dA", dA.rows(), dA.cols(), Y.rows(), Y.cols());
  const auto scale = static_cast<T>(1.0 / tau);
  for (Index j = 0; j < Y.cols(); ++j) {
    T mean = 0;
    for (Index k = 0; k < Y.rows(); ++k) mean += Y(k, j) * dY(k, j);
    for (Index k = 0; k < Y.rows(); ++k) dA(k, j) = scale * Y(k, j) * (dY(k, j) - mean);
  }
  flops::add(static_cast<std::uint64_t>(5 * Y.size()));
}

template <class T>
void one_hot_argmax(InputRef<T> Y, OutputRef<T> hard) {
  expect_shape("one_hot_argmax: hard", hard.rows(), hard.cols(), Y.rows(), Y.cols());
  for (Index j = 0; j < Y.cols(); ++j) {
    Index best = 0;
    for (Index k = 1; k < Y.rows(); ++k) {
      if (Y(k, j) > Y(best, j)) best = k;
    }
    for (Index k = 0; k < Y.rows(); ++k) hard(k, j) = k == best ? T(1) : T(0);
  }
}

double geometric_temperature(double start, double end, int step, int steps) {
  if (step >= steps) return end;
  return start * std::pow(end / start, static_cast<double>(step) / steps);
}

#define VBO_INSTANTIATE(T)                                                                  \
  template void gumbel_softmax<T>(InputRef<T>, InputRef<T>, double, OutputRef<T>);          \
  template void gumbel_softmax_backward<T>(InputRef<T>, InputRef<T>, double, OutputRef<T>); \
  template void one_hot_argmax<T>(InputRef<T>, OutputRef<T>);
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn

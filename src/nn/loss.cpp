// SPDX-License-Identifier: MIT
#include "nn/loss.hpp"

#include <cmath>
#include <limits>

#include "nn/shapes.hpp"
#include "nn/vector_math.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {
namespace {

using simd::Vec;

// w = scale * softmax(z), returns log sum e^z. Shifting by the largest z keeps e^z <= 1.
// w may be z. 5 m operations: max, -, exp, +, *.
template <class T>
T softmax_column(Index m, const T* z, T* w, T scale) {
  constexpr int V = simd::kWidth<T>;
  constexpr T lowest = std::numeric_limits<T>::lowest();
  const Index whole = m / V * V;
  const auto rest = static_cast<std::size_t>(m - whole) * sizeof(T);
  Vec<T> x, top = Vec<T>{} + lowest;
  for (Index i = 0; i < whole; i += V) {
    simd::load(z + i, x);
    top = x > top ? x : top;
  }
  Vec<T> tail = Vec<T>{} + lowest;  // padding: e^(lowest - max) must add nothing to the sum
  if (rest) std::memcpy(&tail, z + whole, rest);
  top = tail > top ? tail : top;
  const T shift = simd::maximum<T>(top);

  Vec<T> sums{};
  for (Index i = 0; i < whole; i += V) {
    simd::load(z + i, x);
    const Vec<T> e = simd::exp<T>(x - shift);
    sums += e;
    simd::store(e, w + i);
  }
  if (rest) {
    Vec<T> e{};
    const Vec<T> padded = simd::exp<T>(tail - shift);
    std::memcpy(&e, &padded, rest);
    sums += e;
    std::memcpy(w + whole, &e, rest);
  }
  const T total = simd::sum<T>(sums);
  const T factor = scale / total;
  for (Index i = 0; i < m; ++i) w[i] *= factor;
  return shift + std::log(total);
}

// log sum e^z
template <class T>
T log_sum_exp_column(Index m, const T* z) {
  T top = z[0];
  for (Index i = 1; i < m; ++i) top = std::max(top, z[i]);
  T total = 0;
  for (Index i = 0; i < m; ++i) total += std::exp(z[i] - top);
  return top + std::log(total);
}

// The loss of all columns. gradient_of(j, column) subtracts the targets from scale * softmax, and
// score_of(j, z) is sum_m p[m] z[m], so that the loss of a column is log sum e^z - score.
template <class T, class Score, class Subtract>
double cross_entropy(InputRef<T> logits, MatrixOf<T>* dlogits, Score score_of,
                     Subtract subtract_target) {
  const Index m = logits.rows(), n = logits.cols();
  if (dlogits) dlogits->resize(m, n);
  flops::add(static_cast<std::uint64_t>(n * (5 * m + 4)));
  const T scale = T(1) / static_cast<T>(n);
  double loss = 0;
  for (Index j = 0; j < n; ++j) {
    const T* const z = logits.data() + j * logits.outerStride();
    double log_total = 0;
    if (dlogits) {
      T* const d = dlogits->data() + j * m;
      log_total = softmax_column(m, z, d, scale);
      subtract_target(j, d, scale);
    } else {
      log_total = log_sum_exp_column(m, z);
    }
    loss += log_total - score_of(j, z);
  }
  return loss / static_cast<double>(n);
}

}  // namespace

template <class T>
double mse(InputRef<T> Y, InputRef<T> target, MatrixOf<T>* dY) {
  expect_shape("mse: target", target.rows(), target.cols(), Y.rows(), Y.cols());
  const auto count = static_cast<double>(Y.size());
  const auto factor = static_cast<T>(2.0 / count);
  flops::add(static_cast<std::uint64_t>(Y.size()) * (dY ? 4 : 3));
  if (dY) dY->resize(Y.rows(), Y.cols());
  double total = 0;
  for (Index j = 0; j < Y.cols(); ++j) {
    const T* const y = Y.data() + j * Y.outerStride();
    const T* const t = target.data() + j * target.outerStride();
    for (Index i = 0; i < Y.rows(); ++i) {
      const T difference = y[i] - t[i];
      total += static_cast<double>(difference * difference);
      if (dY) dY->data()[i + j * Y.rows()] = factor * difference;
    }
  }
  return total / count;
}

template <class T>
void softmax(InputRef<T> logits, OutputRef<T> W) {
  expect_shape("softmax: W", W.rows(), W.cols(), logits.rows(), logits.cols());
  flops::add(static_cast<std::uint64_t>(5 * logits.size()));
  for (Index j = 0; j < logits.cols(); ++j) {
    softmax_column<T>(logits.rows(), logits.data() + j * logits.outerStride(),
                      W.data() + j * W.outerStride(), T(1));
  }
}

template <class T>
double softmax_cross_entropy(InputRef<T> logits, std::span<const int> target,
                             MatrixOf<T>* dlogits) {
  expect_shape("softmax_cross_entropy: target", 1, static_cast<Index>(target.size()), 1,
               logits.cols());
  const auto at = [&](Index j) { return target[static_cast<std::size_t>(j)]; };
  return cross_entropy<T>(
      logits, dlogits, [&](Index j, const T* z) { return static_cast<double>(z[at(j)]); },
      [&](Index j, T* d, T scale) { d[at(j)] -= scale; });
}

template <class T>
double softmax_cross_entropy(InputRef<T> logits, InputRef<T> P, MatrixOf<T>* dlogits) {
  expect_shape("softmax_cross_entropy: P", P.rows(), P.cols(), logits.rows(), logits.cols());
  flops::add(static_cast<std::uint64_t>(P.size()) * (dlogits ? 4 : 2));
  const Index m = P.rows();
  const auto column = [&](Index j) { return P.data() + j * P.outerStride(); };
  return cross_entropy<T>(
      logits, dlogits,
      [&](Index j, const T* z) { return static_cast<double>(dot(m, column(j), z)); },
      [&](Index j, T* d, T scale) {
        for (Index i = 0; i < m; ++i) d[i] -= scale * column(j)[i];
      });
}

#define VBO_INSTANTIATE(T)                                                                   \
  template double mse<T>(InputRef<T>, InputRef<T>, MatrixOf<T>*);                            \
  template void softmax<T>(InputRef<T>, OutputRef<T>);                                       \
  template double softmax_cross_entropy<T>(InputRef<T>, std::span<const int>, MatrixOf<T>*); \
  template double softmax_cross_entropy<T>(InputRef<T>, InputRef<T>, MatrixOf<T>*);
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn

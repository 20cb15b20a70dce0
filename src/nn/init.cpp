// SPDX-License-Identifier: MIT
#include "nn/init.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace vbo::nn {
namespace {

template <class T>
std::span<T> weights(const DenseLayer& layer, std::span<T> parameters) {
  return parameters.subspan(static_cast<std::size_t>(layer.W),
                            static_cast<std::size_t>(layer.outputs * layer.inputs));
}

template <class T>
std::span<T> bias(const DenseLayer& layer, std::span<T> parameters) {
  return parameters.subspan(static_cast<std::size_t>(layer.b),
                            static_cast<std::size_t>(layer.outputs));
}

template <class T>
void fill_zero(std::span<T> values) {
  std::fill(values.begin(), values.end(), T(0));
}

}  // namespace

template <class T>
void fill_uniform(std::span<T> values, double limit, Rng& rng) {
  for (T& value : values) value = static_cast<T>(rng.uniform(-limit, limit));
}

template <class T>
void fill_normal(std::span<T> values, double sigma, Rng& rng) {
  for (T& value : values) value = static_cast<T>(sigma * rng.normal());
}

template <class T>
void fill_orthogonal(std::span<T> W, Index rows, Index cols, double gain, Rng& rng) {
  assert(std::ssize(W) == rows * cols);
  const Index tall = std::max(rows, cols), narrow = std::min(rows, cols);
  Matrix gaussian(tall, narrow);
  for (Index i = 0; i < gaussian.size(); ++i) gaussian.data()[i] = rng.normal();
  const Eigen::HouseholderQR<Matrix> qr(gaussian);
  Matrix Q = qr.householderQ() * Matrix::Identity(tall, narrow);
  for (Index j = 0; j < narrow; ++j) {
    if (qr.matrixQR()(j, j) < 0) Q.col(j) *= -1;
  }
  Eigen::Map<MatrixOf<T>> out(W.data(), rows, cols);
  Q *= gain;
  if (rows >= cols) {
    out = Q.template cast<T>();
  } else {
    out = Q.transpose().template cast<T>();
  }
}

template <class T>
void init_uniform_fan_in(const MlpShape& shape, std::span<T> parameters, Rng& rng) {
  for (const DenseLayer& layer : shape.layers()) {
    const double limit = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    fill_uniform(weights(layer, parameters), limit, rng);
    fill_uniform(bias(layer, parameters), limit, rng);
  }
}

template <class T>
void init_glorot(const MlpShape& shape, std::span<T> parameters, Rng& rng) {
  for (const DenseLayer& layer : shape.layers()) {
    const double limit = std::sqrt(6.0 / static_cast<double>(layer.inputs + layer.outputs));
    fill_uniform(weights(layer, parameters), limit, rng);
    fill_zero(bias(layer, parameters));
  }
}

template <class T>
void init_orthogonal(const MlpShape& shape, std::span<T> parameters, double gain, Rng& rng) {
  for (const DenseLayer& layer : shape.layers()) {
    fill_orthogonal(weights(layer, parameters), layer.outputs, layer.inputs, gain, rng);
    fill_zero(bias(layer, parameters));
  }
}

template <class T>
void init_normal(const MlpShape& shape, std::span<T> parameters, double sigma, Rng& rng) {
  fill_normal(parameters.first(static_cast<std::size_t>(shape.parameters())), sigma, rng);
}

template <class T>
void zero_last_layer(const MlpShape& shape, std::span<T> parameters) {
  fill_zero(weights(shape.layers().back(), parameters));
  fill_zero(bias(shape.layers().back(), parameters));
}

#define VBO_INSTANTIATE(T)                                                    \
  template void fill_uniform(std::span<T>, double, Rng&);                     \
  template void fill_normal(std::span<T>, double, Rng&);                      \
  template void fill_orthogonal(std::span<T>, Index, Index, double, Rng&);    \
  template void init_uniform_fan_in(const MlpShape&, std::span<T>, Rng&);     \
  template void init_glorot(const MlpShape&, std::span<T>, Rng&);             \
  template void init_orthogonal(const MlpShape&, std::span<T>, double, Rng&); \
  template void init_normal(const MlpShape&, std::span<T>, double, Rng&);     \
  template void zero_last_layer(const MlpShape&, std::span<T>);
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn

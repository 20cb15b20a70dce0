// SPDX-License-Identifier: MIT
// Plain versions of what src/nn does fast, and random matrices, for its tests.
#pragma once

#include <cmath>

#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo::nn::reference {

template <class T>
MatrixOf<T> random(Index rows, Index cols, std::uint64_t seed, double scale = 1.0) {
  Rng rng(seed, "nn-test");
  MatrixOf<T> out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<T>(scale * rng.normal());
  return out;
}

template <class T>
MatrixOf<T> multiply(const MatrixOf<T>& A, const MatrixOf<T>& B) {
  MatrixOf<T> C = MatrixOf<T>::Zero(A.rows(), B.cols());
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < B.cols(); ++j) {
      for (Index p = 0; p < A.cols(); ++p) C(i, j) += A(i, p) * B(p, j);
    }
  }
  return C;
}

inline double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::linear:
      return z;
    case Activation::tanh:
      return std::tanh(z);
    case Activation::relu:
      return std::max(0.0, z);
    case Activation::silu:
      return z / (1.0 + std::exp(-z));
    case Activation::elu:
      return z > 0 ? z : std::expm1(z);
  }
  return 0;
}

template <class T>
Matrix forward(Mlp<T>& net, const MatrixOf<T>& X) {
  Matrix Y = X.template cast<double>();
  int l = 0;
  for (const DenseLayer& layer : net.shape().layers()) {
    const Matrix W = net.weights(l).template cast<double>();
    const Vector b = net.bias(l).template cast<double>();
    Y = (multiply<double>(W, Y).colwise() + b).unaryExpr([&](double z) {
      return activate(layer.activation, z);
    });
    ++l;
  }
  return Y;
}

}  // namespace vbo::nn::reference

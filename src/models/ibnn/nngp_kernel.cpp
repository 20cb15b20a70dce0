// SPDX-License-Identifier: MIT
#include "models/ibnn/nngp_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// Keeps acos and asin, and their slopes, away from their singular ends.
double clamped(double c) { return std::clamp(c, -(1.0 - 1e-7), 1.0 - 1e-7); }

// One layer: C -> K, and dK = by_C dC + by_A dA, with A the diagonal at the moving point.
struct Layer {
  double value, by_C, by_A;
};

Layer layer(const NngpOptions& o, double A, double B, double C) {
  const double w = o.weight_variance;
  if (o.unit == NetworkUnit::relu) {
    const double root = std::sqrt(A * B), c = C / root, t = std::acos(clamped(c));
    const double f = w / (2.0 * kPi);
    return {o.bias_variance + f * root * (std::sin(t) + (kPi - t) * c), f * (kPi - t),
            f * 0.5 * std::sqrt(B / A) * std::sin(t)};
  }
  const double P = 1.0 + 2.0 * A, Q = 1.0 + 2.0 * B, root = std::sqrt(P * Q);
  const double u = clamped(2.0 * C / root);
  const double f = 2.0 * w / kPi, slope = f / std::sqrt(1.0 - u * u);
  return {o.bias_variance + f * std::asin(u), 2.0 * slope / root, -slope * u / P};
}

}  // namespace

Matrix NngpKernel::diagonals(ConstMatrixRef X, Matrix* slopes) const {
  const NngpOptions& o = options_;
  Matrix A(o.depth + 1, X.cols());
  if (slopes) slopes->setOnes(o.depth + 1, X.cols());
  const double D = static_cast<double>(X.rows());
  A.row(0) = o.bias_variance + o.weight_variance / D * X.colwise().squaredNorm().array();
  for (int l = 1; l <= o.depth; ++l) {
    for (Index i = 0; i < X.cols(); ++i) {
      const double a = A(l - 1, i);
      double slope = 0.5 * o.weight_variance;
      if (o.unit == NetworkUnit::relu) {
        A(l, i) = o.bias_variance + slope * a;
      } else {
        const double P = 1.0 + 2.0 * a, u = 2.0 * a / P, f = 2.0 * o.weight_variance / kPi;
        A(l, i) = o.bias_variance + f * std::asin(u);
        slope = f / std::sqrt(1.0 - u * u) * (2.0 / P) * (1.0 - u);
      }
      if (slopes) (*slopes)(l, i) = (*slopes)(l - 1, i) * slope;
    }
  }
  return A;
}

Matrix NngpKernel::cross(ConstMatrixRef A, ConstMatrixRef B) const {
  const Matrix a = diagonals(A), b = diagonals(B);
  const double D = static_cast<double>(A.rows());
  Matrix K = options_.weight_variance / D * (A.transpose() * B);
  K.array() += options_.bias_variance;
  for (Index j = 0; j < K.cols(); ++j) {
    for (Index i = 0; i < K.rows(); ++i) {
      for (int l = 0; l < options_.depth; ++l) {
        K(i, j) = layer(options_, b(l, j), a(l, i), K(i, j)).value;
      }
    }
  }
  flops::add(flops::gemm(K.rows(), K.cols(), A.rows()) +
             static_cast<std::uint64_t>(Eigen::Index{12} * options_.depth * K.size()));
  return K;
}

Vector NngpKernel::diagonal(ConstMatrixRef B) const {
  return diagonals(B).row(options_.depth).transpose();
}

// Every derivative is p dC0 + s dA0 with dC0 = w a / D, dA0 = 2 w b / D, and per layer
//   s <- by_C s + by_A dA/dA0,  p <- by_C p.
Matrix NngpKernel::pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const {
  Matrix slopes;
  const Matrix a = diagonals(A), b = diagonals(B, &slopes);
  const double scale = options_.weight_variance / static_cast<double>(A.rows());
  Matrix C = scale * (A.transpose() * B);
  C.array() += options_.bias_variance;
  Matrix P(C.rows(), C.cols());
  Vector own = Vector::Zero(B.cols());
  for (Index j = 0; j < C.cols(); ++j) {
    for (Index i = 0; i < C.rows(); ++i) {
      double c = C(i, j), p = 1.0, s = 0.0;
      for (int l = 0; l < options_.depth; ++l) {
        const Layer step = layer(options_, b(l, j), a(l, i), c);
        s = step.by_C * s + step.by_A * slopes(l, j);
        p *= step.by_C;
        c = step.value;
      }
      P(i, j) = dK(i, j) * p;
      own[j] += dK(i, j) * s;
    }
  }
  flops::add(2 * flops::gemm(C.rows(), C.cols(), A.rows()) +
             static_cast<std::uint64_t>(Eigen::Index{20} * options_.depth * C.size()));
  return scale * (A * P) + B * (2.0 * scale * own).asDiagonal();
}

Matrix NngpKernel::pull_diagonal(ConstMatrixRef B, ConstVectorRef ddiagonal) const {
  Matrix slopes;
  diagonals(B, &slopes);
  const double scale = 2.0 * options_.weight_variance / static_cast<double>(B.rows());
  const Vector weights = scale * slopes.row(options_.depth).transpose().cwiseProduct(ddiagonal);
  return B * weights.asDiagonal();
}

}  // namespace vbo

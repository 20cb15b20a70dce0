// SPDX-License-Identifier: MIT
#include "models/gp/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Rows = Eigen::ArrayXd;

const double sqrt5 = std::sqrt(5.0);

// Inputs scaled by the inverse length-scales, one input per column: loops over points then run
// over contiguous memory. X (D,n) -> (n,D).
Matrix scaled_columns(ConstMatrixRef X, const Vector& inverse_lengthscales) {
  return X.transpose() * inverse_lengthscales.asDiagonal();
}

// rho^2 between b (D) and the points in rows [from, n) of A (n,D), written to r2 (n - from).
// Differences are taken per input: no cancellation for close points, unlike |a|^2+|b|^2-2ab.
template <class Row, class Out>
void square_distances(const Matrix& A, Index from, const Row& b, Out&& r2) {
  const Index n = A.rows() - from;
  r2 = (A.col(0).tail(n).array() - b[0]).square();
  for (Index k = 1; k < A.cols(); ++k) r2 += (A.col(k).tail(n).array() - b[k]).square();
}

// r2 -> g(rho) in place.
template <class Out>
void shape_in_place(Shape shape, Out&& r2) {
  if (shape == Shape::rbf) {
    r2 = (-0.5 * r2).exp();
  } else {
    const Rows t = (5.0 * r2).sqrt();  // sqrt5 rho
    r2 = (1.0 + t + t.square() * (1.0 / 3.0)) * (-t).exp();
  }
}

// r2 -> slope -2 dg/d(rho^2): rbf g itself; matern52 (5/3)(1 + sqrt5 rho) exp(-sqrt5 rho).
template <class Out>
void slope_in_place(Shape shape, Out&& r2) {
  if (shape == Shape::rbf) {
    r2 = (-0.5 * r2).exp();
  } else {
    const Rows t = (5.0 * r2).sqrt();
    r2 = (5.0 / 3.0) * (1.0 + t) * (-t).exp();
  }
}

std::uint64_t count(Index pairs, Index D) {
  return static_cast<std::uint64_t>(pairs) * static_cast<std::uint64_t>(3 * D + 8);
}

}  // namespace

StationaryKernel::StationaryKernel(Shape shape, Vector inverse_lengthscales, double variance)
    : shape_(shape), inverse_lengthscales_(std::move(inverse_lengthscales)), variance_(variance) {}

Matrix StationaryKernel::cross(ConstMatrixRef A, ConstMatrixRef B) const {
  const Matrix a = scaled_columns(A, inverse_lengthscales_);
  const Matrix b = inverse_lengthscales_.asDiagonal() * B;
  Matrix K(A.cols(), B.cols());
  for (Index j = 0; j < K.cols(); ++j) {
    auto column = K.col(j).array();
    square_distances(a, 0, b.col(j), column);
    shape_in_place(shape_, column);
    column *= variance_;
  }
  flops::add(count(K.size(), A.rows()));
  return K;
}

Vector StationaryKernel::diagonal(ConstMatrixRef B) const {
  return Vector::Constant(B.cols(), variance_);
}

// dk/db = Q (a - b) / l^2.
Matrix StationaryKernel::pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const {
  const Matrix a = scaled_columns(A, inverse_lengthscales_);
  const Matrix b = inverse_lengthscales_.asDiagonal() * B;
  Matrix dB(B.rows(), B.cols());
  Rows weight(A.cols());
  for (Index j = 0; j < B.cols(); ++j) {
    square_distances(a, 0, b.col(j), weight);
    slope_in_place(shape_, weight);
    weight *= variance_ * dK.col(j).array();
    for (Index k = 0; k < B.rows(); ++k) {
      dB(k, j) = inverse_lengthscales_[k] * (weight * (a.col(k).array() - b(k, j))).sum();
    }
  }
  flops::add(2 * count(dK.size(), A.rows()));
  return dB;
}

Matrix StationaryKernel::pull_diagonal(ConstMatrixRef B, ConstVectorRef) const {
  return Matrix::Zero(B.rows(), B.cols());
}

Matrix StationaryKernel::scaled(ConstMatrixRef X) const {
  return scaled_columns(X, inverse_lengthscales_);
}

void StationaryKernel::self(ConstMatrixRef X, Matrix& K, Matrix* Q, Team& team) const {
  constexpr Index columns = 32;  // per piece of work
  const Matrix x = scaled(X);
  const Index n = X.cols();
  K.resize(n, n);
  if (Q) Q->resize(n, n);
  team.for_each(static_cast<int>((n + columns - 1) / columns), [&](int piece) {
    const Index from = columns * piece;
    for (Index j = from; j < std::min(n, from + columns); ++j) {
      auto column = K.col(j).tail(n - j).array();
      square_distances(x, j, x.row(j), column);
      if (shape_ == Shape::rbf) {
        column = variance_ * (-0.5 * column).exp();
        if (Q) Q->col(j).tail(n - j) = column;
      } else {
        const Rows t = (5.0 * column).sqrt();
        const Rows e = variance_ * (-t).exp();
        column = (1.0 + t + t.square() * (1.0 / 3.0)) * e;
        if (Q) Q->col(j).tail(n - j) = (5.0 / 3.0) * (1.0 + t) * e;
      }
    }
  });
  flops::add(count(n * (n + 1) / 2, X.rows()));
}

}  // namespace vbo

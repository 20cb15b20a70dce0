// SPDX-License-Identifier: MIT
#include "information/gaussian_critic.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/cholesky.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo {
namespace {

constexpr double kMaxCorrelation = 0.99999;  // I up to 5.4 nats per coordinate

// Covariance of the centred columns of X, with a ridge.
Matrix regularized_covariance(const Matrix& X, double ridge) {
  Matrix C = X * X.transpose() / static_cast<double>(X.cols());
  C.diagonal().array() += ridge * std::max(C.diagonal().mean(), 1e-12);
  return C;
}

struct Singular {
  Vector values;  // (k)
  Matrix U, V;    // (rows,k), (columns,k)
};

// K = U S V^T through the smaller of K K^T and K^T K. Singular values below 1e-6, where squaring
// loses them, are left out: here they are correlations that mean nothing.
std::optional<Singular> singular(const Matrix& K) {
  constexpr double smallest = 1e-6;
  const bool wide = K.rows() <= K.cols();
  const SymmetricEigen eigen =
      symmetric_eigen(wide ? Matrix(K * K.transpose()) : Matrix(K.transpose() * K));
  if (!eigen) return std::nullopt;
  const auto kept = (eigen.values.array() > smallest * smallest).count();  // values ascend
  if (kept == 0) return std::nullopt;
  Singular out;
  out.values = eigen.values.tail(kept).cwiseSqrt();
  const Matrix near = eigen.vectors.rightCols(kept);
  const Matrix far = (wide ? Matrix(K.transpose() * near) : Matrix(K * near)) *
                     out.values.cwiseInverse().asDiagonal();
  out.U = wide ? near : far;
  out.V = wide ? far : near;
  return out;
}

}  // namespace

GaussianCritic::GaussianCritic(ConstMatrixRef X, ConstMatrixRef Y, double ridge)
    : x_mean_(X.rowwise().mean()), y_mean_(Y.rowwise().mean()) {
  const Matrix Xc = X.colwise() - x_mean_;
  const Matrix Yc = Y.colwise() - y_mean_;
  const Cholesky Lx = safe_cholesky(regularized_covariance(Xc, ridge));
  const Cholesky Ly = safe_cholesky(regularized_covariance(Yc, ridge));
  if (!Lx || !Ly) return;  // cannot be normalized: stays T = 0
  // K = Lx^{-1} Cxy Ly^{-T} = U S V^T; a = U^T Lx^{-1} x, b = V^T Ly^{-1} y.
  const Matrix Cxy = Xc * Yc.transpose() / static_cast<double>(X.cols());
  const Matrix half = Lx.L.triangularView<Eigen::Lower>().solve(Cxy);
  const Matrix K =
      Ly.L.triangularView<Eigen::Lower>().solve(half.transpose()).transpose();  // (Dx,Dy)
  const std::optional<Singular> svd = singular(K);
  if (!svd) return;
  s_ = svd->values.cwiseMin(kMaxCorrelation);
  x_to_a_ = Lx.L.transpose().triangularView<Eigen::Upper>().solve(svd->U).transpose();
  y_to_b_ = Ly.L.transpose().triangularView<Eigen::Upper>().solve(svd->V).transpose();
}

GaussianCritic GaussianCritic::shrunk(double noise) const {
  GaussianCritic out = *this;
  for (double& s : out.s_) {
    s = noise < 1.0 ? std::sqrt(std::max(0.0, (s * s - noise) / (1.0 - noise))) : 0.0;
  }
  return out;
}

double GaussianCritic::mutual_information() const {
  return -0.5 * (1.0 - s_.array().square()).log().sum();
}

GaussianCritic::Features GaussianCritic::features(ConstMatrixRef X, ConstMatrixRef Y) const {
  Features f;
  if (s_.size() == 0) {
    f.left = Matrix::Zero(1, X.cols());
    f.right = Matrix::Zero(1, Y.cols());
    f.left_offset = Vector::Zero(X.cols());
    f.right_offset = Vector::Zero(Y.cols());
    return f;
  }
  const Matrix a = x_to_a_ * (X.colwise() - x_mean_);  // (k,N)
  const Matrix b = y_to_b_ * (Y.colwise() - y_mean_);
  const Vector rest = 1.0 - s_.array().square();
  f.left = (s_.array() / rest.array()).matrix().asDiagonal() * a;
  f.right = b;
  const Vector quadratic = -0.5 * s_.array().square() / rest.array();
  f.left_offset = a.cwiseAbs2().transpose() * quadratic;
  f.right_offset = b.cwiseAbs2().transpose() * quadratic;
  f.left_offset.array() += mutual_information();
  return f;
}

}  // namespace vbo

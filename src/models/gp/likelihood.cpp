// SPDX-License-Identifier: MIT
#include "models/gp/likelihood.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Eigen::Lower;

constexpr Index leaf = 64;

// [ A 0 ]^-1   [  A^-1            0    ]
// [ B C ]    = [ -C^-1 B A^-1     C^-1 ]
void invert_lower(MatrixRef L) {
  const Index n = L.rows();
  if (n <= leaf) {
    const Matrix inverse = L.triangularView<Lower>().solve(Matrix::Identity(n, n));
    L.triangularView<Lower>() = inverse;
    return;
  }
  const Index h = n / 2;
  auto A = L.topLeftCorner(h, h);
  auto B = L.bottomLeftCorner(n - h, h);
  auto C = L.bottomRightCorner(n - h, n - h);
  invert_lower(A);
  invert_lower(C);
  const Matrix CB = C.triangularView<Lower>() * B;
  B.noalias() = -(CB * A.triangularView<Lower>());
}

// Lower triangle of L'L:  [ A'A + B'B   .   ]
//                         [ C'B         C'C ]
void square_lower(MatrixRef L) {
  const Index n = L.rows();
  if (n <= leaf) {
    const Matrix dense = L.triangularView<Lower>();
    L.triangularView<Lower>() = dense.transpose() * dense;
    return;
  }
  const Index h = n / 2;
  auto A = L.topLeftCorner(h, h);
  auto B = L.bottomLeftCorner(n - h, h);
  auto C = L.bottomRightCorner(n - h, n - h);
  square_lower(A);
  A.selfadjointView<Lower>().rankUpdate(B.transpose());
  const Matrix CB = C.transpose().triangularView<Eigen::Upper>() * B;
  B = CB;
  square_lower(C);
}

// K + noise I -> L in place. A little jitter is tried before giving up.
bool factor(const StationaryKernel& kernel, double noise_variance, ConstMatrixRef X,
            LikelihoodWorkspace& work, Matrix* Q) {
  for (const double jitter : {0.0, 1e-8, 1e-6}) {
    kernel.self(X, work.K, jitter == 0.0 ? Q : nullptr);
    work.K.diagonal().array() += noise_variance + jitter * kernel.variance();
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(work.K);
    if (llt.info() == Eigen::Success && work.K.diagonal().allFinite()) return true;
  }
  return false;
}

// K_a = Q o delta_a^2 with delta_a^2 = u_i^2 + u_j^2 - 2 u_i u_j, u = x_a / l_a, so all products
// K_a P, P = L^-T v, are columns of Q [P, u o P, u^2 o P]. Cancellation is harmless in a metric.
Matrix fisher_information(const StationaryKernel& kernel, double noise_variance, ConstMatrixRef X,
                          const LikelihoodWorkspace& work) {
  const Index n = X.cols(), D = X.rows(), S = work.probes.cols();
  const auto L = work.K.triangularView<Lower>();
  Matrix P = work.probes;
  work.K.transpose().triangularView<Eigen::Upper>().solveInPlace(P);
  const Matrix u = X.transpose() * kernel.inverse_lengthscales().asDiagonal();  // (n,D)
  Matrix factors(n, S * (2 * D + 1));
  factors.leftCols(S) = P;
  for (Index a = 0; a < D; ++a) {
    factors.middleCols(S * (2 * a + 1), S) = u.col(a).asDiagonal() * P;
    factors.middleCols(S * (2 * a + 2), S) = u.col(a).cwiseAbs2().asDiagonal() * P;
  }
  const Matrix QP = work.Q.selfadjointView<Lower>() * factors;
  Matrix Y(n, S * (D + 2));  // L^-1 K_a P, S columns for every a
  for (Index a = 0; a < D; ++a) {
    Y.middleCols(S * a, S) = u.col(a).cwiseAbs2().asDiagonal() * QP.leftCols(S) -
                             2.0 * u.col(a).asDiagonal() * QP.middleCols(S * (2 * a + 1), S) +
                             QP.middleCols(S * (2 * a + 2), S);
  }
  Y.rightCols(S) = P;
  L.solveInPlace(Y.leftCols(S * D));
  L.solveInPlace(Y.rightCols(S));
  Y.middleCols(S * D, S) = work.probes - noise_variance * Y.rightCols(S);
  flops::add(flops::gemm(n, factors.cols() + Y.cols(), n));
  const Eigen::Map<const Matrix> columns(Y.data(), n * S, D + 2);
  return columns.transpose() * columns / (2.0 * static_cast<double>(S));
}

}  // namespace

void invert_from_cholesky(MatrixRef L) {
  invert_lower(L);
  square_lower(L);
  const auto n = static_cast<std::uint64_t>(L.rows());
  flops::add(2 * n * n * n / 3);
}

LikelihoodValue log_likelihood(const StationaryKernel& kernel, double noise_variance,
                               std::optional<double> mean, ConstMatrixRef X, ConstVectorRef z,
                               LikelihoodWorkspace& work, LikelihoodGradient* gradient,
                               bool with_inputs, double least) {
  const Index n = X.cols();
  const double size = static_cast<double>(n);
  LikelihoodValue result;
  work.holds_factor = false;
  if (!factor(kernel, noise_variance, X, work, gradient ? &work.Q : nullptr)) return result;
  flops::add(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) *
             static_cast<std::uint64_t>(n) / 3);
  const auto L = work.K.triangularView<Lower>();

  Vector r = z;
  if (!mean) {
    Matrix both(n, 2);  // L^-1 [1 z]
    both.col(0).setOnes();
    both.col(1) = z;
    L.solveInPlace(both);
    result.mean = both.col(0).dot(both.col(1)) / both.col(0).squaredNorm();
  } else {
    result.mean = *mean;
  }
  r.array() -= result.mean;
  Vector& alpha = work.alpha;
  alpha = r;
  L.solveInPlace(alpha);
  const double fit = alpha.squaredNorm();
  work.K.transpose().triangularView<Eigen::Upper>().solveInPlace(alpha);
  result.value = -0.5 * fit - work.K.diagonal().array().log().sum() - size * kLogSqrt2Pi;
  result.ok = std::isfinite(result.value);
  work.holds_factor = result.ok;
  if (!gradient || !result.ok || result.value < least) return result;
  work.holds_factor = false;
  if (work.probes.size() > 0) {
    gradient->information = fisher_information(kernel, noise_variance, X, work);
  }
  invert_from_cholesky(work.K);  // lower triangle of K_y^-1
  const double alpha2 = alpha.squaredNorm();
  const double trace = work.K.diagonal().sum();
  // K = K_y - noise I, so sum_ij G_ij K_ij needs no n x n pass.
  gradient->log_variance =
      0.5 * (r.dot(alpha) - noise_variance * alpha2 - size + noise_variance * trace);
  gradient->noise_variance = 0.5 * (alpha2 - trace);
  gradient->mean = mean ? alpha.sum() : 0.0;
  // W = G o Q, lower triangle, into work.Q.
  for (Index j = 0; j < n; ++j) {
    auto q = work.Q.col(j).tail(n - j).array();
    q *= 0.5 * (alpha[j] * alpha.tail(n - j).array() - work.K.col(j).tail(n - j).array());
  }
  gradient->log_lengthscales = kernel.weighted_square_differences(X, work.Q);
  if (with_inputs) {
    // dlog p/dx_i = 2 sum_j G_ij dk(x_i,x_j)/dx_i = -2 / l^2 sum_j W_ij (x_i - x_j)
    const Matrix& W = work.Q;
    const Vector sums = W.selfadjointView<Lower>() * Vector::Ones(n);
    const Matrix WX = W.selfadjointView<Lower>() * X.transpose();  // (n,D)
    const Vector inverse2 = kernel.inverse_lengthscales().cwiseAbs2();
    gradient->X = -2.0 * inverse2.asDiagonal() * (X * sums.asDiagonal() - WX.transpose());
  }
  return result;
}

}  // namespace vbo

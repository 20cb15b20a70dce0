// SPDX-License-Identifier: MIT
#include "models/gp/likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Eigen::Lower;

// K + noise I -> L in place. A little jitter is tried before giving up.
bool factor(const StationaryKernel& kernel, double noise_variance, ConstMatrixRef X, Team& team,
            LikelihoodWorkspace& work, Matrix* Q) {
  for (const double jitter : {0.0, 1e-8, 1e-6}) {
    kernel.self(X, work.K, jitter == 0.0 ? Q : nullptr, team);
    work.K.diagonal().array() += noise_variance + jitter * kernel.variance();
    if (work.known.size() > 0) work.K.diagonal() += work.known;
    if (factor_tiled(work.K, team)) return true;
  }
  return false;
}

// The least-squares slope s of z ~ c + s b from the columns of L^-1 [1 z b], where it is below 0.
double downward_slope(const Matrix& white) {
  const auto ones = white.col(0), z = white.col(1), b = white.col(2);
  const double along = ones.dot(b) / ones.squaredNorm();
  const Vector rest = b - along * ones;  // of b, across the constant
  const double square = rest.squaredNorm();
  if (!(square > 1e-12 * b.squaredNorm())) return 0.0;  // b is constant at these inputs
  return std::min(0.0, rest.dot(z) / square);
}

// One tile of the gradient: Q becomes W = G o Q there, and sum_ij W_ij delta_ij,k^2 over its
// entries below the diagonal is returned for every input k.
Vector weigh_tile(const Matrix& x, const Vector& alpha, Index row, Index column,
                  ConstMatrixRef inverse, Matrix& Q) {
  Vector sums = Vector::Zero(x.cols());
  for (Index c = 0; c < inverse.cols(); ++c) {
    const Index j = column + c;
    const Index skip = row == column ? c : 0, rows = inverse.rows() - skip;
    auto w = Q.col(j).segment(row + skip, rows).array();
    w *= 0.5 *
         (alpha[j] * alpha.segment(row + skip, rows).array() - inverse.col(c).tail(rows).array());
    for (Index k = 0; k < x.cols(); ++k) {
      sums[k] += (w * (x.col(k).segment(row + skip, rows).array() - x(j, k)).square()).sum();
    }
  }
  return sums;
}

}  // namespace

LikelihoodValue log_likelihood(const StationaryKernel& kernel, double noise_variance,
                               std::optional<double> mean, ConstMatrixRef X, ConstVectorRef z,
                               LikelihoodWorkspace& work, LikelihoodGradient* gradient,
                               bool with_inputs, double least) {
  Team alone(1);
  Team& team = work.team ? *work.team : alone;
  const Index n = X.cols(), D = X.rows();
  const double size = static_cast<double>(n);
  LikelihoodValue result;
  if (!factor(kernel, noise_variance, X, team, work, gradient ? &work.Q : nullptr)) return result;
  const bool quadratic = work.quadratic.size() > 0;
  Matrix white(n, quadratic ? 3 : 2);  // L^-1 [1 z b]
  white.col(0).setOnes();
  white.col(1) = z;
  if (quadratic) white.col(2) = work.quadratic;
  for (auto column : white.colwise()) work.K.triangularView<Lower>().solveInPlace(column);
  if (quadratic) result.slope = downward_slope(white);
  const auto level = [&](auto column) { return white.col(0).dot(column); };
  const double of_quadratic_mean = quadratic ? result.slope * level(white.col(2)) : 0.0;
  result.mean =
      mean ? *mean : (level(white.col(1)) - of_quadratic_mean) / white.col(0).squaredNorm();
  Vector r = z.array() - result.mean;
  Vector& alpha = work.alpha;
  alpha = white.col(1) - result.mean * white.col(0);
  if (quadratic) {
    r -= result.slope * work.quadratic;
    alpha -= result.slope * white.col(2);
  }
  const double fit = alpha.squaredNorm();
  work.K.transpose().triangularView<Eigen::Upper>().solveInPlace(alpha);
  result.value = -0.5 * fit - work.K.diagonal().array().log().sum() - size * kLogSqrt2Pi;
  result.ok = std::isfinite(result.value);
  if (!gradient || !result.ok || result.value < least) return result;

  result.has_gradient = true;
  if (work.probes.size() > 0) {
    gradient->information = fisher_information(kernel, noise_variance, X, work.K, work.Q,
                                               work.probes, work.known, team);
  }
  work.inverse.make(work.K, team);
  const Matrix x = kernel.scaled(X);
  const Index across = (n + tile_size - 1) / tile_size;
  Matrix sums = Matrix::Zero(D, across * across);  // one column per tile: added in a fixed order
  Vector diagonal(n);                              // of K_y^-1
  work.inverse.tiles(work.K, team, [&](Index row, Index column, MatrixRef inverse) {
    if (row == column) diagonal.segment(row, inverse.rows()) = inverse.diagonal();
    sums.col(row / tile_size * across + column / tile_size) =
        weigh_tile(x, alpha, row, column, inverse, work.Q);
  });
  flops::add(static_cast<std::uint64_t>(2 * n * (n - 1) * D));
  gradient->log_lengthscales = 2.0 * sums.rowwise().sum();
  const double alpha2 = alpha.squaredNorm(), trace = diagonal.sum();
  // K = K_y - noise I, so sum_ij G_ij K_ij needs no n x n pass.
  gradient->log_variance =
      0.5 * (r.dot(alpha) - noise_variance * alpha2 - size + noise_variance * trace);
  if (work.known.size() > 0) {
    gradient->log_variance += 0.5 * work.known.dot(diagonal - alpha.cwiseAbs2());
  }
  gradient->noise_variance = 0.5 * (alpha2 - trace);
  gradient->mean = mean ? alpha.sum() : 0.0;
  if (with_inputs) {
    // dlog p/dx_i = 2 sum_j G_ij dk(x_i,x_j)/dx_i = -2 / l^2 sum_j W_ij (x_i - x_j)
    const Matrix& W = work.Q;
    const Vector row_sums = W.selfadjointView<Lower>() * Vector::Ones(n);
    const Matrix WX = W.selfadjointView<Lower>() * X.transpose();  // (n,D)
    const Vector inverse2 = kernel.inverse_lengthscales().cwiseAbs2();
    gradient->X = -2.0 * inverse2.asDiagonal() * (X * row_sums.asDiagonal() - WX.transpose());
  }
  return result;
}

}  // namespace vbo

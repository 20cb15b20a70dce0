// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "models/focal/focal_gp.hpp"
#include "models/gaussian_posterior.hpp"
#include "numerics/cholesky.hpp"
#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// w_i = g(rho_i), rho_i the scaled distance from x_i to R, and d w_i / d log l_j (D,n).
struct Weights {
  Vector w;        // (n)
  Matrix by_logs;  // (D,n)
  Index inside = 0;
};

Weights region_weights(const FocalParameters& p, ConstMatrixRef X, const FocalRegion& region) {
  Weights out{Vector(X.cols()), Matrix(X.rows(), X.cols()), 0};
  const double sqrt5 = std::sqrt(5.0);
  for (Index i = 0; i < X.cols(); ++i) {
    const Vector nearest = X.col(i).cwiseMax(region.low).cwiseMin(region.high);
    const Vector delta2 = ((X.col(i) - nearest).array() / p.lengthscales.array()).square().matrix();
    const double rho = std::sqrt(delta2.sum()), t = sqrt5 * rho, e = std::exp(-t);
    out.w[i] = (1.0 + t + t * t / 3.0) * e;
    out.by_logs.col(i) = (5.0 / 3.0 * (1.0 + t) * e) * delta2;
    out.inside += region.contains(X.col(i));
  }
  out.inside = std::max<Index>(1, out.inside);
  return out;
}

StationaryKernel kernel_of(const FocalParameters& p) {
  return {Shape::matern52, p.lengthscales.cwiseInverse(), p.variance};
}

// sum_ij dK_ij dk(a_i,b_j)/d log l: with Q the slope, Q delta_k^2.
Vector pull_lengthscales(const StationaryKernel& kernel, ConstMatrixRef A, ConstMatrixRef B,
                         ConstMatrixRef dK) {
  Vector sums = Vector::Zero(A.rows());
  const Vector& inverse = kernel.inverse_lengthscales();
  for (Index j = 0; j < B.cols(); ++j) {
    const Matrix delta2 =
        (inverse.asDiagonal() * (A.colwise() - B.col(j))).array().square();  // (D,n)
    const Vector t = (5.0 * delta2.colwise().sum().array()).sqrt().transpose();
    const Vector q = kernel.variance() * (5.0 / 3.0) * (1.0 + t.array()) * (-t.array()).exp() *
                     dK.col(j).array();
    sums += delta2 * q;
  }
  return sums;
}

}  // namespace

FocalObjective focal_objective(const FocalParameters& p, ConstMatrixRef X, ConstVectorRef z,
                               const FocalRegion& region, FocalParameters* gradient) {
  const Index m = p.Z.cols();
  const double n = static_cast<double>(X.cols()), noise = p.noise_variance;
  const StationaryKernel kernel = kernel_of(p);
  FocalObjective out;

  Matrix Kzz = kernel.cross(p.Z, p.Z);
  const Matrix plain = Kzz;
  Kzz.diagonal().array() += kFocalJitter;
  const Cholesky factor = safe_cholesky(Kzz);
  if (!factor) return out;
  const auto L = factor.L.triangularView<Eigen::Lower>();
  const Matrix Kzx = kernel.cross(p.Z, X);  // (m,n)
  const Matrix A = L.solve(Kzx);
  const auto root = p.root.triangularView<Eigen::Lower>();
  const Matrix RA = root.transpose() * A;  // L_S' a
  const Vector mu = (A.transpose() * p.mean).array() + p.constant;
  const Vector v = p.variance + kFocalJitter + RA.colwise().squaredNorm().transpose().array() -
                   A.colwise().squaredNorm().transpose().array();
  const Vector r = z - mu;
  const Vector e =
      -0.5 * ((r.array().square() + v.array()) / noise + std::log(noise)) - kLogSqrt2Pi;
  const Weights weights = region_weights(p, X, region);
  const double inside = static_cast<double>(weights.inside);
  const double total = weights.w.sum() + 1e-7;
  const Vector omega = weights.w / total;
  out.expected = omega.dot(e);
  const Matrix lower = root;
  out.divergence = 0.5 * (lower.squaredNorm() + p.mean.squaredNorm() - static_cast<double>(m)) -
                   p.root.diagonal().array().abs().log().sum();
  out.value = out.expected - out.divergence / n - (weights.w.sum() / inside - 1.0);
  out.weights = weights.w;
  out.inside = weights.inside;
  out.ok = std::isfinite(out.value);
  flops::add(4 * flops::gemm(m, X.cols(), m));
  if (!gradient || !out.ok) return out;

  FocalParameters& g = *gradient;
  const Matrix wA = A * omega.asDiagonal();
  g.mean = wA * r / noise - p.mean / n;
  g.root = (-1.0 / noise) * (wA * RA.transpose()) - lower / n;
  g.root.diagonal() += p.root.diagonal().cwiseInverse() / n;
  g.root.triangularView<Eigen::StrictlyUpper>().setZero();
  g.constant = omega.dot(r) / noise;
  g.noise_variance =
      0.5 *
      (omega.array() * ((r.array().square() + v.array()) / (noise * noise) - 1.0 / noise)).sum();
  // a_bar = omega [r m_v - (S - I) a] / noise;  K_bar_Zx = L^-T a_bar;  L_bar = -tril(K_bar a')
  Matrix abar = p.mean * r.transpose() + A;
  abar.noalias() -= root * RA;
  abar = abar * (omega / noise).asDiagonal();
  const Matrix Kzx_bar = L.transpose().solve(abar);
  Matrix L_bar = -(Kzx_bar * A.transpose());
  L_bar.triangularView<Eigen::StrictlyUpper>().setZero();
  const Matrix Kzz_bar = cholesky_adjoint(factor.L, L_bar);
  const double kii_bar = -0.5 * omega.sum() / noise;  // summed over i: k_ii = s2
  g.variance =
      (Kzz_bar.cwiseProduct(plain).sum() + Kzx_bar.cwiseProduct(Kzx).sum()) / p.variance + kii_bar;
  Vector by_logs =
      pull_lengthscales(kernel, p.Z, p.Z, Kzz_bar) + pull_lengthscales(kernel, p.Z, X, Kzx_bar);
  const Vector by_w = (e.array() - out.expected) / total - 1.0 / inside;
  by_logs += weights.by_logs * by_w;
  g.lengthscales = by_logs.cwiseQuotient(p.lengthscales);
  g.Z = kernel.pull_self(p.Z, Kzz_bar) + kernel.pull_cross(X, p.Z, Kzx_bar.transpose());
  flops::add(8 * flops::gemm(m, X.cols(), m));
  return out;
}

void optimal_inducing(FocalParameters& p, ConstMatrixRef X, ConstVectorRef z,
                      const FocalRegion& region) {
  const Index m = p.Z.cols();
  const StationaryKernel kernel = kernel_of(p);
  Matrix Kzz = kernel.cross(p.Z, p.Z);
  Kzz.diagonal().array() += kFocalJitter;
  const Matrix L = robust_factor(Kzz);
  const Matrix A = L.triangularView<Eigen::Lower>().solve(kernel.cross(p.Z, X));
  const Vector w = region_weights(p, X, region).w;
  const Vector D = static_cast<double>(X.cols()) / (p.noise_variance * (w.sum() + 1e-7)) * w;
  Matrix precision = Matrix::Identity(m, m);
  precision.noalias() += A * D.asDiagonal() * A.transpose();
  // S = P^-1 with P = C C'.
  const Matrix C = robust_factor(precision);
  Matrix S = C.triangularView<Eigen::Lower>().solve(Matrix::Identity(m, m));
  S = (S.transpose() * S).eval();
  p.mean = S * (A * (D.array() * (z.array() - p.constant)).matrix());
  p.root = robust_factor(S);
}

}  // namespace vbo

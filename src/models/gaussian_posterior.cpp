// SPDX-License-Identifier: MIT
#include "models/gaussian_posterior.hpp"

#include <cmath>

#include "numerics/cholesky.hpp"

namespace vbo {

Matrix robust_factor(ConstMatrixRef A) {
  const double scale = std::max(A.diagonal().cwiseAbs().maxCoeff(), 1e-300);
  Cholesky factor;
  if (safe_cholesky(A, factor, scale)) return factor.L;
  // Rounding or a kernel that is not positive definite: more jitter always ends it.
  for (double jitter = 1e-5; jitter <= 10.0; jitter *= 10.0) {
    Matrix raised = A;
    raised.diagonal().array() += jitter * scale;
    if (safe_cholesky(raised, factor, scale)) return factor.L;
  }
  return A.diagonal().cwiseAbs().cwiseMax(1e-12 * scale).cwiseSqrt().asDiagonal();
}

const Matrix& GaussianPosterior::factor() const {
  if (factor_.size() == 0) factor_ = robust_factor(covariance());
  return factor_;
}

Matrix GaussianPosterior::draws(const BaseSamples& base) const {
  Matrix Y = factor().triangularView<Eigen::Lower>() * base.normals;
  Y.colwise() += mean();
  return Y;
}

// Y = mean + L Z  =>  dmean = sum_s dY_s,  dL = dY Z', then the Cholesky adjoint.
Matrix GaussianPosterior::pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const {
  const Matrix dL = ddraws * base.normals.transpose();
  return pullback_joint(ddraws.rowwise().sum(), cholesky_adjoint(factor(), dL));
}

}  // namespace vbo

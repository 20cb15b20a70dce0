// SPDX-License-Identifier: MIT
#include "models/ensemble_posterior.hpp"

#include <algorithm>
#include <utility>

namespace vbo {
namespace {

constexpr double smallest_variance = 1e-30;

Eigen::Index member(double uniform, Eigen::Index M) {
  return std::min<Eigen::Index>(M - 1, static_cast<Eigen::Index>(uniform * static_cast<double>(M)));
}

}  // namespace

EnsemblePosterior::EnsemblePosterior(Matrix F, Pull pull)
    : F_(std::move(F)), pull_(std::move(pull)), mean_(F_.rowwise().mean()) {
  centered_ = F_.colwise() - mean_;
  const double freedom = static_cast<double>(std::max<Eigen::Index>(1, F_.cols() - 1));
  variance_ = (centered_.rowwise().squaredNorm() / freedom).cwiseMax(smallest_variance);
}

const Matrix& EnsemblePosterior::covariance() const {
  if (covariance_.size() == 0) {
    const double freedom = static_cast<double>(std::max<Eigen::Index>(1, F_.cols() - 1));
    covariance_.noalias() = centered_ * centered_.transpose() / freedom;
    covariance_.diagonal() = variance_;
  }
  return covariance_;
}

// variance_i = sum_m c_im^2 / (M-1), c = F - mean; the mean's own share cancels since sum_m c = 0.
Matrix EnsemblePosterior::pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const {
  const double M = static_cast<double>(F_.cols());
  const double freedom = std::max(1.0, M - 1.0);
  Matrix dF = centered_.array().colwise() * (2.0 / freedom * dvariance.array());
  dF.colwise() += dmean / M;
  return pull_(dF);
}

Matrix EnsemblePosterior::pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const {
  const double M = static_cast<double>(F_.cols());
  Matrix dF = (2.0 / std::max(1.0, M - 1.0)) * (dcovariance * centered_);
  dF.colwise() += dmean / M;
  return pull_(dF);
}

Matrix EnsemblePosterior::draws(const BaseSamples& base) const {
  Matrix Y(F_.rows(), base.uniforms.size());
  for (Eigen::Index s = 0; s < Y.cols(); ++s) {
    Y.col(s) = F_.col(member(base.uniforms[s], F_.cols()));
  }
  return Y;
}

Matrix EnsemblePosterior::pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const {
  Matrix dF = Matrix::Zero(F_.rows(), F_.cols());
  for (Eigen::Index s = 0; s < ddraws.cols(); ++s) {
    dF.col(member(base.uniforms[s], F_.cols())) += ddraws.col(s);
  }
  return pull_(dF);
}

}  // namespace vbo

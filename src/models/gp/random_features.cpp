// SPDX-License-Identifier: MIT
#include "models/gp/random_features.hpp"

#include <cmath>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {

RandomFeatures::RandomFeatures(const StationaryKernel& kernel, Eigen::Index F, Rng& rng)
    : omega_(F, kernel.inverse_lengthscales().size()),
      phase_(F),
      amplitude_(std::sqrt(2.0 * kernel.variance() / static_cast<double>(F))) {
  for (Eigen::Index i = 0; i < F; ++i) {
    double stretch = 1.0;
    if (kernel.shape() == Shape::matern52) {
      double chi2 = 0.0;  // 2 nu = 5 degrees of freedom
      for (int k = 0; k < 5; ++k) {
        const double z = rng.normal();
        chi2 += z * z;
      }
      stretch = std::sqrt(5.0 / chi2);
    }
    for (Eigen::Index j = 0; j < omega_.cols(); ++j) {
      omega_(i, j) = stretch * rng.normal() * kernel.inverse_lengthscales()[j];
    }
    phase_[i] = rng.uniform(0.0, 2.0 * kPi);
  }
}

Matrix RandomFeatures::operator()(ConstMatrixRef X) const {
  Matrix angles = X.transpose() * omega_.transpose();  // (n,F)
  angles.rowwise() += phase_.transpose();
  flops::add(flops::gemm(angles.rows(), angles.cols(), X.rows()) +
             static_cast<std::uint64_t>(3 * angles.size()));
  return amplitude_ * angles.array().cos();
}

}  // namespace vbo

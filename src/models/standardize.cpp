// SPDX-License-Identifier: MIT
#include "models/standardize.hpp"

#include <cmath>

namespace vbo {

Standardize Standardize::of(ConstVectorRef y) {
  const double n = static_cast<double>(y.size());
  const double largest = y.cwiseAbs().maxCoeff();
  if (largest == 0.0) return {};
  const Vector z = y / largest;  // within +-1: sums of squares cannot overflow
  const double mean = z.mean();
  const double sigma = y.size() > 1 ? std::sqrt((z.array() - mean).square().sum() / (n - 1)) : 0.0;
  // Below this, differences are rounding errors of the values themselves.
  const bool constant = sigma < 1e-14;
  return {mean * largest, constant ? 1.0 : sigma * largest};
}

}  // namespace vbo

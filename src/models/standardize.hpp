// SPDX-License-Identifier: MIT
// y = offset + scale * z with z of mean 0 and unbiased standard deviation 1. Works for any finite
// y: a constant (or single) y gets scale 1, and values up to 1e300 do not overflow.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

struct Standardize {
  double offset = 0.0;
  double scale = 1.0;  // > 0

  static Standardize of(ConstVectorRef y);
  Vector apply(ConstVectorRef y) const { return ((y.array() - offset) / scale).matrix(); }
};

}  // namespace vbo

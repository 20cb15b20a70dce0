// SPDX-License-Identifier: MIT
// Derivatives by differences, the reference for every hand-written gradient. Slow and independent
// of what it checks: it sees only function values. Thread-safe: no state.
#pragma once

#include <functional>
#include <string>

#include "numerics/linalg.hpp"

namespace vbo {

using ScalarFunction = std::function<double(ConstVectorRef x)>;

// Central differences with one Richardson step,
//   g_i = (4 D(h/2) - D(h)) / 3,  D(h) = (f(x + h e_i) - f(x - h e_i)) / (2 h),
// error O(h^4) + eps |f| / h; h = relative_step * max(1, |x_i|). 4 n evaluations.
Vector finite_difference_gradient(const ScalarFunction& f, ConstVectorRef x,
                                  double relative_step = 1e-3);

struct GradientTolerance {
  double relative = 1e-6;       // |a - b| <= relative * max(|a|, |b|, floor)
  double floor = 1e-3;          // below this size errors count absolutely
  double relative_step = 1e-3;  // of the differences
};

struct GradientComparison {
  bool matches = false;
  double worst_error = 0.0;  // max_i |a_i - b_i| / max(|a_i|, |b_i|, floor); inf if not finite
  Eigen::Index worst_index = -1;
  std::string text;  // names the worst component with both values
};

// `analytic` (n) against differences of f at x (n).
GradientComparison compare_gradient(const ScalarFunction& f, ConstVectorRef x,
                                    ConstVectorRef analytic,
                                    const GradientTolerance& tolerance = {});

}  // namespace vbo

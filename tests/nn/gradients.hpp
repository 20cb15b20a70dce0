// SPDX-License-Identifier: MIT
// expect_gradient() for losses that read their variables in place, as networks do.
#pragma once

#include <functional>
#include <span>

#include "support/gradient_check.hpp"

namespace vbo::nn {

// `gradient` against differences of loss() while the elements of x move.
inline void expect_gradient(const std::function<double()>& loss, std::span<double> x,
                            std::span<const double> gradient) {
  Eigen::Map<Vector> variables(x.data(), std::ssize(x));
  const Vector start = variables;
  const Vector analytic = Eigen::Map<const Vector>(gradient.data(), std::ssize(gradient));
  vbo::testing::expect_gradient(
      [&](ConstVectorRef at) {
        variables = at;
        return loss();
      },
      start, analytic);
  variables = start;
}

inline std::span<double> flat(Matrix& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }

}  // namespace vbo::nn

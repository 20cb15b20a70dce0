// SPDX-License-Identifier: MIT
// One line per gradient: expect_gradient(f, theta, gradient) compares a hand-written gradient, by
// parameters or by inputs, with central differences (numerics/finite_difference.hpp).
#pragma once

#include <gtest/gtest.h>

#include <concepts>

#include "numerics/finite_difference.hpp"

namespace vbo::testing {

// For EXPECT_TRUE / EXPECT_FALSE.
inline ::testing::AssertionResult gradient_matches(const ScalarFunction& f, ConstVectorRef x,
                                                   ConstVectorRef gradient,
                                                   const GradientTolerance& tolerance = {}) {
  const GradientComparison result = compare_gradient(f, x, gradient, tolerance);
  return result.matches ? ::testing::AssertionSuccess() << result.text
                        : ::testing::AssertionFailure() << result.text;
}

// f(x) -> double with x (n).
inline void expect_gradient(const ScalarFunction& f, ConstVectorRef x, ConstVectorRef gradient,
                            const GradientTolerance& tolerance = {}) {
  EXPECT_TRUE(gradient_matches(f, x, gradient, tolerance));
}

// The same for a function of a matrix, X (D,N) and gradient (D,N), e.g. a batch of inputs.
template <std::invocable<const Matrix&> F>
void expect_matrix_gradient(const F& f, const Matrix& X, const Matrix& gradient,
                            const GradientTolerance& tolerance = {}) {
  ASSERT_EQ(X.rows(), gradient.rows());
  ASSERT_EQ(X.cols(), gradient.cols());
  const auto flat = [&](ConstVectorRef x) {
    return static_cast<double>(f(Matrix(Eigen::Map<const Matrix>(x.data(), X.rows(), X.cols()))));
  };
  expect_gradient(flat, X.reshaped(), gradient.reshaped(), tolerance);
}

}  // namespace vbo::testing

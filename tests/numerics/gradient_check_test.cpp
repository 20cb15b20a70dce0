// SPDX-License-Identifier: MIT
// The checker that judges every gradient is itself judged here: right gradients pass, planted
// errors are seen.
#include "support/gradient_check.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vbo {
namespace {

double function(ConstVectorRef x) { return std::tanh(x[0] * x[1]) + std::exp(0.1 * x[2]) * x[0]; }

Vector gradient(ConstVectorRef x) {
  const double t = std::tanh(x[0] * x[1]);
  const double s = 1.0 - t * t;
  return Vector{{s * x[1] + std::exp(0.1 * x[2]), s * x[0], 0.1 * std::exp(0.1 * x[2]) * x[0]}};
}

const Vector kAt{{0.7, -0.4, 25.0}};

TEST(FiniteDifference, RichardsonIsAccurate) {
  const Vector difference = finite_difference_gradient(function, kAt) - gradient(kAt);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(GradientCheck, RightGradientPasses) {
  testing::expect_gradient(function, kAt, gradient(kAt));
  const Matrix X{{0.1, -0.3}, {0.8, 1.2}, {0.0, 2.0}};
  testing::expect_matrix_gradient([](const Matrix& M) { return M.squaredNorm(); }, X,
                                  Matrix(2.0 * X));
}

TEST(GradientCheck, SeesAPlantedErrorInEachComponent) {
  for (int i = 0; i < 3; ++i) {
    Vector wrong = gradient(kAt);
    wrong[i] *= 1.0 + 1e-5;
    const GradientComparison result = compare_gradient(function, kAt, wrong);
    EXPECT_FALSE(result.matches);
    EXPECT_EQ(result.worst_index, i);
    EXPECT_NEAR(result.worst_error, 1e-5, 1e-6);
    EXPECT_FALSE(testing::gradient_matches(function, kAt, wrong));
  }
  const double s = 1.0 + std::pow(std::tanh(kAt[0] * kAt[1]), 2);  // 1 + tanh^2 for 1 - tanh^2
  Vector sign_slip = gradient(kAt);
  sign_slip[1] = s * kAt[0];
  EXPECT_NONFATAL_FAILURE(testing::expect_gradient(function, kAt, sign_slip), "component 1 of 3");
}

TEST(GradientCheck, RejectsWrongSizesAndNaN) {
  EXPECT_FALSE(testing::gradient_matches(function, kAt, Vector::Zero(2)));
  Vector nan = gradient(kAt);
  nan[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(testing::gradient_matches(function, kAt, nan));
}

}  // namespace
}  // namespace vbo

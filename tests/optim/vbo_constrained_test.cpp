// SPDX-License-Identifier: MIT
// Suggestions at the predicted best point within measured limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "optim/vbo/batch/constrained_optima.hpp"
#include "vbo_parts.hpp"

namespace vbo {
namespace {

// max -|x - 0.8|^2 over a corner: x_0 <= 0.5, x_0 + x_1 <= 0.9 (D = 4): the best point is
// (0.45, 0.45, 0.8, 0.8).
double objective(ConstVectorRef x) { return -(x.array() - 0.8).square().sum(); }
Vector excesses(ConstVectorRef x) {
  Vector found(2);
  found << x[0] - 0.5, x[0] + x[1] - 0.9;
  return found;
}

LimitResults results_of(const Matrix& X) {
  LimitResults results;
  results.codes = X;
  results.objective = Vector(X.cols());
  results.excesses = Matrix(X.cols(), 2);
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    results.objective[i] = objective(X.col(i));
    results.excesses.row(i) = excesses(X.col(i)).transpose();
  }
  return results;
}

Matrix anywhere(double low, double high, Eigen::Index n) {
  Rng rng(3, "constrained");
  Matrix X(4, n);
  for (double& x : X.reshaped()) x = low + (high - low) * rng.uniform();
  return X;
}

Vector corner() {
  Vector x(4);
  x << 0.45, 0.45, 0.8, 0.8;
  return x;
}

TEST(ConstrainedOptima, LieWhereLimitsMeet) {
  const Encoding encoding(parts_cube(4));
  Rng rng(1, "test");
  const auto found = constrained_optima(encoding, results_of(anywhere(0.0, 1.0, 40)), 8, 0, rng);
  ASSERT_EQ(found.size(), 8U);
  double nearest = INFINITY, inside = 0.0;
  for (const Vector& x : found) {
    nearest = std::min(nearest, (x - corner()).cwiseAbs().maxCoeff());
    inside += excesses(x).maxCoeff() <= 1e-3;
  }
  EXPECT_LT(nearest, 1e-3);
  EXPECT_GE(inside, 6);
}

// All results break a limit: the suggestions do not.
TEST(ConstrainedOptima, FindTheFirstFeasiblePoint) {
  const Encoding encoding(parts_cube(4));
  Rng rng(1, "test");
  const LimitResults results = results_of(anywhere(0.6, 1.0, 30));
  ASSERT_GT(results.excesses.rowwise().maxCoeff().minCoeff(), 0.0);
  const auto found = constrained_optima(encoding, results, 4, 0, rng);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(
      std::ranges::any_of(found, [](const Vector& x) { return excesses(x).maxCoeff() <= 1e-6; }));
}

TEST(ConstrainedOptima, AreDifferentFromEachOtherAndTheSameForTheSameSeed) {
  const Encoding encoding(parts_cube(4));
  const LimitResults results = results_of(anywhere(0.0, 1.0, 25));
  Rng rng(1, "test"), same(1, "test");
  const auto found = constrained_optima(encoding, results, 12, 5, rng);
  EXPECT_EQ(found, constrained_optima(encoding, results, 12, 5, same));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(found[i], found[j]);
  }
}

TEST(ConstrainedOptima, NeedResultsThatSpanTheSpace) {
  const Encoding encoding(parts_cube(4));
  Rng rng(1, "test");
  EXPECT_TRUE(constrained_optima(encoding, {}, 4, 0, rng).empty());
  EXPECT_TRUE(constrained_optima(encoding, results_of(anywhere(0.0, 1.0, 5)), 4, 0, rng).empty());
}

}  // namespace
}  // namespace vbo

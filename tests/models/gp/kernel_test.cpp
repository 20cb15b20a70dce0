// SPDX-License-Identifier: MIT
#include "models/gp/kernel.hpp"

#include <gtest/gtest.h>

#include "models/models_support.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;

StationaryKernel random_kernel(Shape shape, Eigen::Index D, Rng& rng) {
  Vector inverse(D);
  for (double& v : inverse) v = rng.uniform(0.5, 3.0);
  return {shape, inverse, rng.uniform(0.3, 3.0)};
}

class StationaryKernelTest : public ::testing::TestWithParam<Shape> {};

TEST_P(StationaryKernelTest, MatchesItsFormula) {
  const Vector inverse{{2.0, 0.5}};
  const StationaryKernel kernel(GetParam(), inverse, 1.7);
  const Matrix A{{0.1, 0.4}, {0.9, 0.4}};
  const Matrix B{{0.3, 0.1, 0.4}, {0.2, 0.9, 0.8}};
  const Matrix K = kernel.cross(A, B);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double rho = (inverse.asDiagonal() * (A.col(i) - B.col(j))).norm();
      const double t = std::sqrt(5.0) * rho;
      const double g = GetParam() == Shape::rbf ? std::exp(-0.5 * rho * rho)
                                                : (1 + t + 5.0 / 3.0 * rho * rho) * std::exp(-t);
      EXPECT_NEAR(K(i, j), 1.7 * g, 1e-15);
    }
  }
  EXPECT_EQ(kernel.diagonal(B), Vector::Constant(3, 1.7));
}

TEST_P(StationaryKernelTest, SelfIsTheLowerTriangleOfCross) {
  Rng rng(1, "kernel");
  for (const Eigen::Index D : {1, 3, 10}) {
    const StationaryKernel kernel = random_kernel(GetParam(), D, rng);
    const Matrix X = random_matrix(D, 17, rng);
    Matrix K, Q;
    Team team(1);
    kernel.self(X, K, &Q, team);
    const Matrix difference = K - kernel.cross(X, X);
    EXPECT_LT(Matrix(difference.triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(StationaryKernelTest, InputGradientMatchesDifferences) {
  Rng rng(2, "kernel");
  for (Eigen::Index D = 1; D <= 10; ++D) {
    const StationaryKernel kernel = random_kernel(GetParam(), D, rng);
    const Matrix A = random_matrix(D, 7, rng);
    for (const Eigen::Index q : {1, 4}) {
      const Matrix B = random_matrix(D, q, rng);
      const Matrix weights = random_matrix(7, q, rng);
      testing::expect_matrix_gradient(
          [&](const Matrix& at) { return kernel.cross(A, at).cwiseProduct(weights).sum(); }, B,
          kernel.pull_cross(A, B, weights));
      Matrix symmetric = random_matrix(q, q, rng);
      symmetric = (symmetric + symmetric.transpose()).eval();
      testing::expect_matrix_gradient(
          [&](const Matrix& at) { return kernel.cross(at, at).cwiseProduct(symmetric).sum(); }, B,
          kernel.pull_self(B, symmetric));
    }
  }
}

TEST_P(StationaryKernelTest, GradientIsFiniteAtZeroDistance) {
  Rng rng(3, "kernel");
  const StationaryKernel kernel = random_kernel(GetParam(), 3, rng);
  const Matrix A = random_matrix(3, 2, rng);
  EXPECT_TRUE(kernel.pull_cross(A, A, Matrix::Ones(2, 2)).allFinite());
}

INSTANTIATE_TEST_SUITE_P(Shapes, StationaryKernelTest,
                         ::testing::Values(Shape::matern52, Shape::rbf));

}  // namespace
}  // namespace vbo

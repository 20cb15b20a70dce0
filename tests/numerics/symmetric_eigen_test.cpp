// SPDX-License-Identifier: MIT
#include "numerics/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "vbo/random.hpp"

using namespace vbo;

namespace {

Matrix symmetric(Eigen::Index n) {
  Rng rng(static_cast<std::uint64_t>(n), "symmetric");
  Matrix A(n, n);
  for (double& a : A.reshaped()) a = rng.normal();
  return 0.5 * (A + A.transpose());
}

TEST(SymmetricEigen, GivesTheMatrixBackFromItsLowerTriangle) {
  for (const Eigen::Index n : {1, 2, 7, 40}) {
    const Matrix A = symmetric(n);
    Matrix lower = A.triangularView<Eigen::Lower>();
    const SymmetricEigen eigen = symmetric_eigen(lower);
    ASSERT_TRUE(eigen) << n;
    const Matrix back = eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose();
    EXPECT_LT((back - A).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n)) << n;
    EXPECT_LT((eigen.values - symmetric_eigenvalues(lower)).cwiseAbs().maxCoeff(), 1e-12) << n;
    for (Eigen::Index i = 1; i < n; ++i) EXPECT_LE(eigen.values[i - 1], eigen.values[i]);
  }
}

TEST(SymmetricEigen, SaysThatAMatrixIsNotFiniteAndKeepsTheShapes) {
  Matrix A = symmetric(5);
  A(3, 1) = std::numeric_limits<double>::quiet_NaN();
  const SymmetricEigen eigen = symmetric_eigen(A);
  EXPECT_FALSE(eigen);
  EXPECT_EQ(eigen.values, A.diagonal());
  EXPECT_EQ(eigen.vectors, Matrix::Identity(5, 5));
  EXPECT_EQ(symmetric_eigenvalues(A), A.diagonal());
}

}  // namespace

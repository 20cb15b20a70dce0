// SPDX-License-Identifier: MIT
#include "numerics/cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "numerics/flops.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

Matrix random_matrix(int rows, int cols, std::uint64_t seed) {
  Rng rng(seed, "matrix");
  return Matrix::NullaryExpr(rows, cols, [&] { return rng.normal(); });
}

Matrix random_spd(int n, std::uint64_t seed) {
  const Matrix G = random_matrix(n, n, seed);
  return G * G.transpose() + 0.5 * Matrix::Identity(n, n);
}

TEST(SafeCholesky, FactorsWithoutJitterWhenItCan) {
  for (const int n : {1, 2, 7, 40, 150}) {
    const Matrix A = random_spd(n, 1);
    const Cholesky c = safe_cholesky(A);
    ASSERT_TRUE(c);
    EXPECT_EQ(c.jitter, 0.0);
    EXPECT_LT((c.L * c.L.transpose() - A).cwiseAbs().maxCoeff(), 1e-10 * A.norm());
    EXPECT_EQ(Matrix(c.L.triangularView<Eigen::StrictlyUpper>()).norm(), 0.0);
    const Matrix B = random_matrix(n, 3, 2);
    EXPECT_LT((A * c.solve(B) - B).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_NEAR(c.log_determinant(), std::log(A.determinant()),
                1e-8 * (1 + std::abs(c.log_determinant())));
  }
}

TEST(SafeCholesky, ReadsOnlyTheLowerTriangle) {
  Matrix A = random_spd(5, 3);
  const Matrix L = safe_cholesky(A).L;
  A.triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
  EXPECT_EQ(safe_cholesky(A).L, L);
}

// Eigenvalues 1 and -d: each rung of the ladder repairs the d below it.
TEST(SafeCholesky, ClimbsTheLadderOnlyAsFarAsNeeded) {
  const auto with_smallest = [](double eigenvalue) {
    Matrix A(2, 2);
    A << 1.0 + eigenvalue, 1.0 - eigenvalue, 1.0 - eigenvalue, 1.0 + eigenvalue;
    return Matrix(0.5 * A);
  };
  EXPECT_DOUBLE_EQ(safe_cholesky(with_smallest(-5e-9)).jitter, 1e-8);
  EXPECT_DOUBLE_EQ(safe_cholesky(with_smallest(-5e-8)).jitter, 1e-7);
  EXPECT_DOUBLE_EQ(safe_cholesky(with_smallest(-5e-7)).jitter, 1e-6);
  EXPECT_FALSE(safe_cholesky(with_smallest(-5e-6)));
  EXPECT_TRUE(safe_cholesky(with_smallest(-5e-6), 10.0));  // the ladder scales
  const MatrixOf<float> single = with_smallest(-5e-5).cast<float>();
  const CholeskyOf<float> c = safe_cholesky(single);
  EXPECT_TRUE(c);
  EXPECT_FLOAT_EQ(c.jitter, 1e-4F);
}

TEST(SafeCholesky, SingularMatricesOfDuplicatePointsSucceed) {
  const Matrix ones = Matrix::Ones(30, 30);
  const Cholesky c = safe_cholesky(ones);
  ASSERT_TRUE(c);
  EXPECT_GT(c.jitter, 0.0);
  EXPECT_TRUE(c.L.allFinite());
}

TEST(SafeCholesky, SaysNoInsteadOfThrowing) {
  EXPECT_FALSE(safe_cholesky(Matrix(-Matrix::Identity(4, 4))));
  EXPECT_FALSE(
      safe_cholesky(Matrix(Matrix::Constant(3, 3, std::numeric_limits<double>::quiet_NaN()))));
  Matrix infinite = Matrix::Identity(3, 3);
  infinite(2, 0) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(safe_cholesky(infinite));
  EXPECT_FALSE(safe_cholesky(Matrix(Matrix::Ones(2, 3))));
  EXPECT_TRUE(safe_cholesky(Matrix(0, 0)));
}

TEST(SafeCholesky, CountsItsFlops) {
  const flops::Scope scope;
  safe_cholesky(random_spd(3, 1));
  // 3 roots, 2 + 1 divisions, and updates of 3 + 1 entries with 2 operations each.
  EXPECT_EQ(scope.count(), 14U);
}

// f(A) = sum_ij W_ij L(A)_ij, differentiated by the symmetric perturbations of A.
TEST(CholeskyAdjoint, MatchesDifferences) {
  for (const int n : {1, 2, 5}) {
    const Matrix A = random_spd(n, 7);
    const Matrix W = random_matrix(n, n, 8);
    const auto f = [&](const Matrix& X) {
      // Only the symmetric part of the perturbation exists.
      const Matrix S = 0.5 * (X + X.transpose());
      const Matrix L = safe_cholesky(S).L;
      return (W.array() * L.array()).sum();
    };
    testing::expect_matrix_gradient(f, A, cholesky_adjoint(safe_cholesky(A).L, W));
  }
}

}  // namespace
}  // namespace vbo

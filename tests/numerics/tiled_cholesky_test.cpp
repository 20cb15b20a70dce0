// SPDX-License-Identifier: MIT
#include "numerics/tiled_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "vbo/random.hpp"

using namespace vbo;

namespace {

using Eigen::Index;

Matrix positive_definite(Index n) {
  Rng rng(static_cast<std::uint64_t>(n), "positive");
  Matrix B(n, n);
  for (double& b : B.reshaped()) b = rng.normal();
  return B * B.transpose() / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n);
}

Matrix inverse_of(const Matrix& factored, const TiledInverse& inverse, Team& team) {
  Matrix whole = Matrix::Zero(factored.rows(), factored.cols());
  inverse.tiles(factored, team, [&](Index row, Index column, MatrixRef tile) {
    whole.block(row, column, tile.rows(), tile.cols()) = tile;
  });
  return whole;
}

}  // namespace

TEST(TiledCholesky, FactorAndInverseAgreeWithEigenAroundTileBoundaries) {
  for (const Index n : {1, 2, 63, 64, 65, 127, 128, 129, 300, 385}) {
    const Matrix A = positive_definite(n);
    Team team(1);
    Matrix F = A;
    ASSERT_TRUE(factor_tiled(F, team)) << n;
    const Matrix L = F.triangularView<Eigen::Lower>();
    const Matrix reference = A.llt().matrixL();
    EXPECT_LT((L - reference).cwiseAbs().maxCoeff(), 1e-12) << n;
    TiledInverse inverse;
    inverse.make(F, team);
    EXPECT_EQ(Matrix(F.triangularView<Eigen::Lower>()), L) << n;
    const Matrix found = inverse_of(F, inverse, team);
    const Matrix symmetric = found.selfadjointView<Eigen::Lower>();
    EXPECT_LT((symmetric * A - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-10) << n;
  }
}

TEST(TiledCholesky, SameBitsWhateverTheNumberOfThreads) {
  for (const Index n : {130, 500, 777}) {
    const Matrix A = positive_definite(n);
    Matrix first_factor, first_inverse;
    for (const int threads : {1, 2, 3, 8}) {
      Team team(threads);
      Matrix F = A;
      ASSERT_TRUE(factor_tiled(F, team));
      TiledInverse inverse;
      inverse.make(F, team);
      const Matrix found = inverse_of(F, inverse, team);
      if (threads == 1) {
        first_factor = F;
        first_inverse = found;
      }
      EXPECT_EQ(F, first_factor) << n << " by " << threads;
      EXPECT_EQ(found, first_inverse) << n << " by " << threads;
    }
  }
}

TEST(TiledCholesky, SaysNoToBadMatrices) {
  for (const int threads : {1, 3}) {
    Team team(threads);
    for (const Index at : {0, 70, 199}) {
      Matrix A = positive_definite(200);
      A(at, at) = -1.0;
      EXPECT_FALSE(factor_tiled(A, team)) << at;
      A = positive_definite(200);
      A(at, at) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(factor_tiled(A, team)) << at;
    }
  }
}

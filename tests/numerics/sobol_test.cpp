// SPDX-License-Identifier: MIT
#include "numerics/sobol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace vbo {
namespace {

// Squared centered L2 discrepancy (Hickernell 1998, eq. 5.1c); X (D,n).
double discrepancy(const Matrix& X) {
  const auto n = static_cast<double>(X.cols());
  double single = 0.0;
  double pairs = 0.0;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    const Eigen::ArrayXd a = (X.col(i).array() - 0.5).abs();
    single += (1.0 + 0.5 * a - 0.5 * a.square()).prod();
    for (Eigen::Index j = 0; j < X.cols(); ++j) {
      const Eigen::ArrayXd b = (X.col(j).array() - 0.5).abs();
      pairs += (1.0 + 0.5 * a + 0.5 * b - 0.5 * (X.col(i) - X.col(j)).array().abs()).prod();
    }
  }
  return std::pow(13.0 / 12.0, static_cast<double>(X.rows())) - 2.0 / n * single + pairs / (n * n);
}

Matrix uniform_points(int dimension, int n, std::uint64_t seed) {
  Rng rng(seed, "uniform");
  return Matrix::NullaryExpr(dimension, n, [&] { return rng.uniform(); });
}

TEST(Sobol, UnscrambledMatchesTheKnownSequence) {
  SobolSequence sobol = SobolSequence::unscrambled(3);
  const Matrix X = sobol.draw(8);
  Matrix want(3, 8);                                // Joe and Kuo (2008), Gray-code order
  want << 0, .5, .75, .25, .375, .875, .625, .125,  //
      0, .5, .25, .75, .375, .875, .125, .625,      //
      0, .5, .25, .75, .625, .125, .875, .375;
  EXPECT_LT((X - want).cwiseAbs().maxCoeff(), 1e-15);
}

// Every block of 2^k points aligned to 2^k has one point per interval of length 2^-k.
TEST(Sobol, EveryProjectionIsStratified) {
  const int dimension = 200;
  for (const int k : {1, 3, 6, 9}) {
    const int n = 1 << k;
    SobolSequence sobol(dimension, 11);
    sobol.skip_to(3 * static_cast<std::uint64_t>(n));
    const Matrix X = sobol.draw(n);
    for (int d = 0; d < dimension; ++d) {
      std::set<int> cells;
      for (int i = 0; i < n; ++i) cells.insert(static_cast<int>(X(d, i) * n));
      ASSERT_EQ(cells.size(), static_cast<std::size_t>(n)) << "dimension " << d << ", k " << k;
    }
  }
}

// The first two dimensions form a (0,m,2)-net: one point in each elementary box of area 2^-m.
TEST(Sobol, ScramblingKeepsTheNet) {
  const int m = 6;
  SobolSequence sobol(2, 5);
  const Matrix X = sobol.draw(1 << m);
  for (int a = 0; a <= m; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (int i = 0; i < X.cols(); ++i) {
      boxes.emplace(static_cast<int>(X(0, i) * (1 << a)),
                    static_cast<int>(X(1, i) * (1 << (m - a))));
    }
    EXPECT_EQ(boxes.size(), static_cast<std::size_t>(X.cols())) << a;
  }
}

TEST(Sobol, LowerDiscrepancyThanIndependentPoints) {
  for (const int dimension : {2, 6, 20}) {
    double worst = 0.0;
    double best_uniform = 1e9;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      worst = std::max(worst, discrepancy(SobolSequence(dimension, seed).draw(256)));
      best_uniform = std::min(best_uniform, discrepancy(uniform_points(dimension, 256, seed)));
    }
    EXPECT_LT(worst, (dimension < 20 ? 0.25 : 0.9) * best_uniform) << dimension;
  }
}

TEST(Sobol, SameSeedSamePointsAndAnyStart) {
  SobolSequence a(7, 42);
  SobolSequence b(7, 42);
  const Matrix X = a.draw(300);
  EXPECT_EQ(b.draw(300), X);
  EXPECT_EQ(a.index(), 300U);
  for (const std::uint64_t start : {0, 1, 77, 128, 255, 299}) {
    SobolSequence jump(7, 42);
    jump.skip_to(start);
    EXPECT_EQ(jump.draw(1), X.col(static_cast<Eigen::Index>(start))) << start;
  }
  EXPECT_NE(SobolSequence(7, 43).draw(4), X.leftCols(4));
  EXPECT_NE(SobolSequence(7, Rng(42, "other")).draw(4), X.leftCols(4));
  SobolSequence far(7, 42);
  far.skip_to(std::uint64_t{1} << 50);
  const Matrix Y = far.draw(2);
  EXPECT_TRUE((Y.array() > 0.0).all() && (Y.array() < 1.0).all());
}

TEST(Sobol, ScramblingIsUniform) {
  // The first point over many seeds is uniform: mean 1/2, variance 1/12, no correlation.
  const int n = 4000;
  Matrix first(2, n);
  for (int s = 0; s < n; ++s)
    first.col(s) = SobolSequence(2, static_cast<std::uint64_t>(s)).draw(1);
  const Matrix centered = first.array() - 0.5;
  const Eigen::Matrix2d second = centered * centered.transpose() / n;
  EXPECT_NEAR(centered.row(0).mean(), 0.0, 4.0 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(second(0, 0), 1.0 / 12, 4.0 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(second(0, 1), 0.0, 4.0 * (1.0 / 12) / std::sqrt(1.0 * n));
}

TEST(Sobol, ThousandsOfDimensionsAndBeyond) {
  const int dimension = SobolSequence::max_dimension() + 3;
  ASSERT_GE(dimension, 3000);
  SobolSequence sobol(dimension, 9);
  const Matrix X = sobol.draw(64);
  EXPECT_TRUE((X.array() > 0.0).all() && (X.array() < 1.0).all());
  SobolSequence jump(dimension, 9);
  jump.skip_to(63);
  EXPECT_EQ(jump.draw(1), X.col(63));
  for (int d = dimension - 3; d < dimension; ++d) {
    EXPECT_NEAR(X.row(d).mean(), 0.5, 4.0 / std::sqrt(12.0 * 64));
    EXPECT_NE(X.row(d), X.row(d - 1));
  }
}

TEST(Sobol, NormalPointsHaveNormalMoments) {
  const Matrix Z = SobolSequence(4, 2).draw_normal(4096);
  for (int d = 0; d < 4; ++d) {
    EXPECT_NEAR(Z.row(d).mean(), 0.0, 1e-2);
    EXPECT_NEAR(Z.row(d).squaredNorm() / 4096, 1.0, 1e-2);
  }
}

}  // namespace
}  // namespace vbo

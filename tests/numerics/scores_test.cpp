// SPDX-License-Identifier: MIT
#include "numerics/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/normal.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Standardize, UnbiasedAndSafe) {
  const Vector y{{1.0, 2.0, 3.0, 6.0}};
  const Standardization fit = fit_standardization(y);
  EXPECT_DOUBLE_EQ(fit.mean, 3.0);
  EXPECT_DOUBLE_EQ(fit.scale, std::sqrt(14.0 / 3.0));
  EXPECT_DOUBLE_EQ(fit.invert(fit.apply(5.5)), 5.5);
  EXPECT_NEAR(standardize(y).mean(), 0.0, 1e-15);
  EXPECT_EQ(standardize(Vector::Constant(5, 7.0)), Vector::Zero(5));
  EXPECT_EQ(standardize(Vector{{4.0}})[0], 0.0);
  EXPECT_EQ(standardize(Vector(0)).size(), 0);
}

TEST(NormalScores, QuantilesOfRanks) {
  const Vector z = normal_scores(Vector{{30.0, -5.0, 1e9}});
  EXPECT_DOUBLE_EQ(z[0], 0.0);
  EXPECT_DOUBLE_EQ(z[1], normal_quantile(0.5 / 3));
  EXPECT_DOUBLE_EQ(z[2], normal_quantile(2.5 / 3));
  const Vector blom = normal_scores(Vector{{30.0, -5.0, 1e9}}, PlottingPosition::blom);
  EXPECT_DOUBLE_EQ(blom[2], normal_quantile(2.625 / 3.25));
}

TEST(NormalScores, TiesShareTheAverageRank) {
  const Vector z = normal_scores(Vector{{2.0, 1.0, 2.0, 2.0}});
  EXPECT_DOUBLE_EQ(z[1], normal_quantile(0.5 / 4));
  for (const int i : {0, 2, 3}) EXPECT_DOUBLE_EQ(z[i], normal_quantile((3.0 - 0.5) / 4));
  EXPECT_EQ(normal_scores(Vector::Constant(6, 1.0)), Vector::Zero(6));
  EXPECT_EQ(normal_scores(Vector(0)).size(), 0);
}

TEST(NormalScores, FailuresAreTheLowestRank) {
  const Vector z = normal_scores(Vector{{kNaN, 3.0, -kInf, kInf}});
  EXPECT_DOUBLE_EQ(z[0], normal_quantile(1.0 / 4));
  EXPECT_EQ(z[0], z[2]);
  EXPECT_LT(z[2], z[1]);
  EXPECT_LT(z[1], z[3]);
}

TEST(NormalScoreTable, AgreesWithTheBatchTransform) {
  Rng rng(3, "scores");
  Vector y(157);
  for (auto& value : y) value = std::round(4.0 * rng.normal());  // many ties
  y[17] = kNaN;
  for (const auto position : {PlottingPosition::midpoint, PlottingPosition::blom}) {
    const Vector z = normal_scores(y, position);
    NormalScoreTable table(position);
    table.insert({y.data(), 50});
    table.insert({y.data() + 50, 107});
    ASSERT_EQ(table.size(), 157U);
    for (Eigen::Index i = 0; i < y.size(); ++i) EXPECT_EQ(table.score(y[i]), z[i]);
  }
}

TEST(NormalScoreTable, NewValuesAndInverse) {
  NormalScoreTable table;
  EXPECT_EQ(table.score(1.0), 0.0);
  table.insert(std::vector<double>{1.0, 2.0, 4.0, 8.0});
  EXPECT_GT(table.score(3.0), table.score(2.0));
  EXPECT_LT(table.score(3.0), table.score(4.0));
  EXPECT_GT(table.score(100.0), table.score(8.0));
  EXPECT_LT(table.score(-100.0), table.score(1.0));
  EXPECT_TRUE(std::isfinite(table.score(-kInf)) && std::isfinite(table.score(kInf)));
  for (const double y : {1.0, 2.0, 4.0, 8.0}) EXPECT_NEAR(table.value(table.score(y)), y, 1e-12);
  EXPECT_EQ(table.value(-50.0), 1.0);
  EXPECT_EQ(table.value(50.0), 8.0);
}

}  // namespace
}  // namespace vbo

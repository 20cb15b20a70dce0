// SPDX-License-Identifier: MIT
#include "numerics/scores.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/normal.hpp"
#include "support/extremes.hpp"

namespace vbo {
namespace {

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

TEST(KendallTau, CountsConcordantAndDiscordantPairs) {
  const Vector a{{1, 2, 3, 4}};
  EXPECT_EQ(kendall_tau(a, Vector{{10, 20, 30, 40}}), 1.0);
  EXPECT_EQ(kendall_tau(a, Vector{{4, 3, 2, 1}}), -1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(a, Vector{{1, 3, 2, 4}}), 4.0 / 6.0);  // one of six pairs swapped
  EXPECT_EQ(kendall_tau(a, Vector{{1, 1, 1, 1}}), 0.0);               // ties count for neither
  EXPECT_EQ(kendall_tau(Vector(0), Vector(0)), 0.0);
  EXPECT_EQ(kendall_tau(Vector::Ones(1), Vector::Ones(1)), 0.0);
}

}  // namespace
}  // namespace vbo

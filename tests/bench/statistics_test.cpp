// SPDX-License-Identifier: MIT
#include "bench/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vbo::bench {
namespace {

using ::testing::ElementsAre;
const double nan = std::nan("");

TEST(Statistics, MomentsAndQuantiles) {
  const std::vector<double> v = {4, nan, 1, 3, 2};
  EXPECT_DOUBLE_EQ(mean(v), 2.5);
  EXPECT_DOUBLE_EQ(variance(v), 5.0 / 3.0);
  EXPECT_DOUBLE_EQ(median(v), 2.5);
  EXPECT_DOUBLE_EQ(quantile(v, 0.25), 1.75);  // numpy.quantile([1,2,3,4], .25)
  EXPECT_DOUBLE_EQ(quantile(v, 1.0), 4.0);
  const std::vector<double> none = {nan};
  EXPECT_TRUE(std::isnan(mean(none)) && std::isnan(variance(none)) && std::isnan(median(none)));
  EXPECT_TRUE(std::isnan(variance(std::vector<double>{3})));  // one seed says nothing of spread
}

TEST(Statistics, Ranks) {
  EXPECT_THAT(ranks_descending(std::vector<double>{1, 3, nan, 3, 2}),
              ElementsAre(4, 1.5, 5, 1.5, 3));
  // Ties but for rounding errors, of the size of the values; exact unless asked for.
  const std::vector<double> close = {-1e-9, 0, -1e-5, nan, nan};
  EXPECT_THAT(ranks_descending(close), ElementsAre(2, 1, 3, 4.5, 4.5));
  EXPECT_THAT(ranks_descending(close, rounding), ElementsAre(1.5, 1.5, 3, 4.5, 4.5));
  EXPECT_FALSE(above(1e6 + 0.5, 1e6));
  EXPECT_TRUE(above(1e6 + 2.0, 1e6));
}

TEST(Statistics, StudentsInterval) {
  // t(0.975, 2) = 4.302653, times the deviation 1.527525 over the root of 3.
  EXPECT_NEAR(student_margin(std::vector<double>{1, 2, nan, 4}), 3.794583, 1e-4);
  // qt(0.975, 39) = 2.022691; forty alternating values have a variance of 40/39.
  std::vector<double> forty;
  for (int i = 0; i < 40; ++i) forty.push_back(i % 2 == 0 ? 1.0 : -1.0);
  EXPECT_NEAR(student_margin(forty), 2.022691 * std::sqrt(1.0 / 39.0), 2e-3);
  EXPECT_TRUE(std::isnan(student_margin(std::vector<double>{3})));
}

TEST(Statistics, SignTest) {
  EXPECT_DOUBLE_EQ(sign_test(5, 0), 2.0 / 32.0);
  EXPECT_DOUBLE_EQ(sign_test(1, 8), 2.0 * 10.0 / 512.0);
  EXPECT_DOUBLE_EQ(sign_test(3, 3), 1.0);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1.0);
}

TEST(Statistics, WilcoxonSignedRank) {
  // All six positive: 2 / 2^6. One of the smallest against: W = 1, two subsets, 4 / 64.
  EXPECT_DOUBLE_EQ(wilcoxon_signed_rank(std::vector<double>{1, 2, 3, 4, 5, 6}), 2.0 / 64.0);
  EXPECT_DOUBLE_EQ(wilcoxon_signed_rank(std::vector<double>{-1, 2, 3, 4, 5, 6, 0}), 4.0 / 64.0);
  // With ties in size: n = 4, mean 5, variance 7.5 - 60/48 = 6.25, W = 0, z = -2.
  EXPECT_NEAR(wilcoxon_signed_rank(std::vector<double>{1, 1, 1, 1}),
              std::erfc(2.0 / std::sqrt(2.0)), 1e-12);
  EXPECT_EQ(wilcoxon_signed_rank(std::vector<double>{0, 0}), 1.0);
}

}  // namespace
}  // namespace vbo::bench

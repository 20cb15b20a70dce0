// SPDX-License-Identifier: MIT
#include "vbo/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/normal.hpp"

namespace vbo {
namespace {

// Known answers published with the algorithm (Random123, kat_vectors, philox4x32 10).
TEST(Philox, PublishedVectors) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, GoldenStream) {
  Rng rng(42, "golden", 7);
  std::vector<std::uint64_t> words(4);
  for (auto& word : words) word = rng();
  EXPECT_EQ(words, (std::vector<std::uint64_t>{0x0f10622de1c56ed0ULL, 0x425f1a2b2867cae3ULL,
                                               0xf8e6ecd4cacbabd1ULL, 0x863680647b06d3d6ULL}));
  Rng again(42, "golden", 7);
  EXPECT_EQ(again.uniform(), static_cast<double>(words[0] >> 11) * 0x1.0p-53);
}

TEST(Rng, StreamsDifferByEachPartOfTheirName) {
  const auto first = [](Rng rng) { return rng(); };
  const std::vector<std::uint64_t> words{first(Rng(1, "a", 0)), first(Rng(2, "a", 0)),
                                         first(Rng(1, "b", 0)), first(Rng(1, "a", 1))};
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(words[i], words[j]);
  }
}

TEST(Rng, SeekContinuesAtAnyPosition) {
  Rng rng(5, "seek");
  std::vector<std::uint64_t> words(9);
  for (auto& word : words) word = rng();
  for (std::size_t start = 0; start < words.size(); ++start) {
    Rng other(5, "seek");
    other.seek(start);
    for (std::size_t i = start; i < words.size(); ++i) EXPECT_EQ(other(), words[i]);
    EXPECT_EQ(other.position(), words.size());
  }
}

TEST(Rng, UniformMomentsWithinFiveStandardErrors) {
  Rng rng(1, "uniform");
  constexpr int n = 200000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Rng, NormalMomentsWithinFiveStandardErrors) {
  Rng rng(1, "normal");
  constexpr int n = 200000;
  double m1 = 0.0, m2 = 0.0, m4 = 0.0;
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal();
    m1 += z;
    m2 += z * z;
    m4 += z * z * z * z;
  }
  EXPECT_NEAR(m1 / n, 0.0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(m2 / n, 1.0, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m4 / n, 3.0, 5 * std::sqrt(96.0 / n));
}

TEST(Rng, BelowIsUnbiased) {
  Rng rng(3, "below");
  constexpr int n = 60000;
  std::array<int, 6> counts{};
  for (int i = 0; i < n; ++i) ++counts[rng.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, n / 6, 5 * std::sqrt(n * 5.0 / 36));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, PermutationHoldsEveryIndexOnce) {
  Rng rng(3, "permutation");
  std::vector<std::size_t> order = rng.permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(rng.permutation(0).empty());
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-300), -37.0471, 1e-4);
  for (const double p : {1e-12, 1e-5, 0.01, 0.074, 0.076, 0.3, 0.7, 0.999}) {
    const double z = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)), p,
                1e-14 * std::max(1.0, 1 / p) * p + 1e-15 * p);
    EXPECT_NEAR(normal_quantile(1 - p), -z, 1e-4);
  }
  EXPECT_EQ(normal_quantile(0.0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
}

}  // namespace
}  // namespace vbo

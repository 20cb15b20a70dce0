// SPDX-License-Identifier: MIT
#include "optim/encoding.hpp"

#include <gtest/gtest.h>

#include <map>

#include "vbo/random.hpp"

namespace vbo {
namespace {

Space encoded_space() {
  return Space::make({Parameter::real("x", -5, 10), Parameter::real("rate", 1e-5, 1e-1, true),
                      Parameter::integer("n", 1, 4), Parameter::integer("width", 8, 1024, true),
                      Parameter::real("fixed", 7, 7), Parameter::categorical("c", {"a", "b", "c"})})
      .value();
}

TEST(Encoding, DimensionLeavesFixedParametersOutAndOneHotsCategories) {
  const Encoding encoding(encoded_space());
  EXPECT_EQ(encoding.dimension(), 4 + 3);
  EXPECT_EQ(encoding.blocks().size(), 5U);
}

TEST(Encoding, DecodedPointsAreAlwaysInTheSpaceAndEncodeBack) {
  const Encoding encoding(encoded_space());
  Rng rng(1, "encoding");
  for (int i = 0; i < 2000; ++i) {
    Vector x(encoding.dimension());
    for (double& v : x) v = rng.uniform(-0.2, 1.2);
    const Point point = encoding.decode(x);
    ASSERT_TRUE(encoding.space().check(point));
    const Vector code = encoding.encode(point);
    ASSERT_EQ(encoding.decode(code)[2], point[2]);
    ASSERT_EQ(encoding.decode(code)[3], point[3]);
    ASSERT_EQ(encoding.decode(code)[5], point[5]);
    ASSERT_NEAR(std::get<double>(encoding.decode(code)[0]), std::get<double>(point[0]), 1e-12);
    encoding.snap(x);
    ASSERT_LT((x - code).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Encoding, EveryIntegerGetsAnEqualShare) {
  const Encoding encoding(Space::make({Parameter::integer("n", 1, 4)}).value());
  std::map<std::int64_t, int> counts;
  constexpr int n = 4000;
  for (int i = 0; i < n; ++i) {
    Vector x(1);
    x << (i + 0.5) / n;
    ++counts[std::get<std::int64_t>(encoding.decode(x)[0])];
  }
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [value, count] : counts) EXPECT_EQ(count, n / 4) << value;
}

}  // namespace
}  // namespace vbo

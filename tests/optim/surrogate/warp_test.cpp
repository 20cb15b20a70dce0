// SPDX-License-Identifier: MIT
#include "optim/surrogate/warp.hpp"

#include <gtest/gtest.h>

namespace vbo {
namespace {

TEST(Warp, IsIncreasingInvertibleAndKnowsItsSlope) {
  const Vector y{{-3.0, 1.0, 7.0}};
  for (int choice = 0; choice < Warp::count; ++choice) {
    const Warp warp = Warp::choice(choice, y);
    double before = warp(-6.0);
    for (double v = -5.0; v <= 9.0; v += 0.25) {  // also outside the values it was made for
      EXPECT_GT(warp(v), before);
      before = warp(v);
      EXPECT_NEAR(warp.inverse(warp(v)), v, 1e-9);
      const double h = 1e-6, slope = (warp(v + h) - warp(v - h)) / (2 * h) * 10.0;  // d/du
      if (v != -3.0 && v != 7.0) {
        EXPECT_NEAR(std::log(slope), warp.log_slope(v), 1e-5) << choice << " " << v;
      }
    }
  }
}

// From one end to the other each bend spreads the best more, against the worst.
TEST(Warp, NeighboursAreInTheOrderOfTheirBend) {
  const Vector y{{0.0, 1.0}};
  const auto best_to_worst = [&](int choice) {
    const Warp warp = Warp::choice(choice, y);
    return (warp(1.0) - warp(0.99)) / (warp(0.01) - warp(0.0));
  };
  int choice = 2, visited = 1;
  EXPECT_FALSE(Warp::neighbour(choice, -1));
  while (const auto next = Warp::neighbour(choice, 1)) {
    EXPECT_GT(best_to_worst(*next), best_to_worst(choice));
    EXPECT_EQ(Warp::neighbour(*next, -1), choice);
    choice = *next;
    ++visited;
  }
  EXPECT_EQ(visited, Warp::count);
}

TEST(Warp, ConstantOutcomesStayFinite) {
  for (int choice = 0; choice < Warp::count; ++choice) {
    const Warp warp = Warp::choice(choice, Vector::Constant(3, 5.0));
    EXPECT_TRUE(std::isfinite(warp(5.0)));
    EXPECT_TRUE(std::isfinite(warp(6.0)));
    EXPECT_TRUE(std::isfinite(warp(4.0)));
  }
}

}  // namespace
}  // namespace vbo

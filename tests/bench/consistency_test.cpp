// SPDX-License-Identifier: MIT
#include "bench/consistency.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vbo::bench {
namespace {

TEST(TrueInformation, OfOneStepAndOfManyIsTheClosedForm) {
  ConsistencyOptions o{.length = 1, .rho = 0.6, .a = 0.8};
  const TrueInformation one = true_information(o);
  EXPECT_NEAR(one.iid, -0.5 * std::log(1 - 0.36), 1e-12);
  EXPECT_NEAR(one.joint, 0.5 * std::log(2.0), 1e-12);  // signal and noise of variance 1
  EXPECT_NEAR(one.past, 0.0, 1e-12);
  // The rate: y is ARMA(1,1); its innovation variance s solves s (1 + b^2) = (1 + a^2) + (1 - a^2),
  // s b = a, and the directed information per step is 1/2 ln(s / (1 - a^2)).
  o.length = 100000;
  const double b = (1.0 - std::sqrt(1.0 - o.a * o.a)) / o.a;  // s = a / b, b + 1/b = 2 / a
  const double s = o.a / b;
  EXPECT_NEAR(true_information(o).directed(), 0.5 * std::log(s / (1 - o.a * o.a)), 1e-4);
}

TEST(Consistency, TheHelperFindsWhatTheChannelsHold) {
  const ConsistencyOptions o{
      .samples = {64, 2048}, .length = 4, .seeds = 1, .steps = 400, .fresh = 4096, .hidden = 16};
  const auto rows = check_consistency(o).value();
  ASSERT_EQ(rows.size(), 8U);  // one quantity of the first channel, three of the second
  const TrueInformation truth = true_information(o);
  for (const ConsistencyRow& row : rows) {
    if (row.samples == 64) {
      // Few samples: the helper believes too much of what it has seen.
      if (row.quantity != "past") {
        EXPECT_GT(row.own, row.fresh) << row.quantity;
      }
      continue;
    }
    EXPECT_NEAR(row.fresh, row.truth, 0.1) << row.channel << " " << row.quantity;
    EXPECT_NEAR(row.own, row.truth, 0.1) << row.channel << " " << row.quantity;
    if (row.quantity == "directed") {
      EXPECT_EQ(row.truth, truth.directed());
    }
  }
  EXPECT_EQ(to_json(consistency_from(to_json(rows)).value()), to_json(rows));
  EXPECT_EQ(figure_of(rows).panels.size(), 4U);
  EXPECT_FALSE(consistency_from("{}[]"));
  EXPECT_FALSE(check_consistency({.samples = {4}}));
}

}  // namespace
}  // namespace vbo::bench

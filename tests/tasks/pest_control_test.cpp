// SPDX-License-Identifier: MIT
#include "tasks/pest_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tasks/numpy_random.hpp"

namespace vbo::tasks::pest {
namespace {

Plan plan_of(const std::function<int(int)>& type) {
  Plan plan{};
  for (int i = 0; i < stages; ++i) plan[i] = type(i);
  return plan;
}

TEST(NumpyLegacyRandom, FirstUniforms) {
  NumpyLegacyRandom random(1);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.417022004702574);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.7203244934421581);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.00011437481734488664);
}

TEST(PestControl, DrawsAreNumpys) {
  const SeededDraws& draws = seeded_draws();
  EXPECT_DOUBLE_EQ(draws.initial[0], 0.020715784541747353);
  EXPECT_DOUBLE_EQ(draws.initial[1], 0.00749659815599719);
  EXPECT_DOUBLE_EQ(draws.initial[99], 0.026155665976284458);
  EXPECT_DOUBLE_EQ(draws.spread[0], 0.12766853217121507);
  EXPECT_DOUBLE_EQ(draws.spread[1], 0.045116258477209466);
  EXPECT_DOUBLE_EQ(draws.spread[99], 0.13224402583138622);
  EXPECT_DOUBLE_EQ(draws.control[0][0][0], 0.5679693451838285);
  EXPECT_DOUBLE_EQ(draws.control[0][0][99], 0.9570636899361814);
  EXPECT_NEAR(draws.control[3][24][0], 0.0005268847859460873, 1e-15);
  EXPECT_NEAR(draws.control[3][24][99], 0.46896198313930654, 1e-12);
}

struct Known {
  Plan plan;
  double cost;
};

TEST(PestControl, KnownCosts) {
  const Known known[] = {
      {plan_of([](int) { return 0; }), 21.95},
      {plan_of([](int) { return 1; }), 20.02},
      {plan_of([](int) { return 2; }), 14.03},
      {plan_of([](int) { return 3; }), 12.28},
      {plan_of([](int) { return 4; }), 12.52},
      {plan_of([](int i) { return i % 5; }), 18.72},
      {plan_of([](int i) { return (i * i + 3 * i + 1) % 5; }), 18.49},
      {plan_of([](int i) { return i / 5; }), 19.64},
      {plan_of([](int i) { return i % 2 ? 4 : 0; }), 18.56},
      {plan_of([](int i) { return i % 2 ? 3 : 0; }), 18.5804},
      {plan_of([](int i) { return i < 24 ? 3 : 0; }), 11.9916},
      {plan_of([](int i) { return i < 24 ? 4 : 0; }), 12.02},
      {plan_of([](int i) { return i > 0 ? 3 : 0; }), 13.1416},
      {plan_of([](int i) { return i == 24  ? 0
                                  : i == 1 ? 4
                                           : 3; }), 12.1864},
      {plan_of([](int i) { return i == 24 ? 1 : 0; }), 22.942},
  };
  for (const Known& k : known) EXPECT_NEAR(seeded_cost(k.plan), k.cost, 1e-9);
}

TEST(PestControl, StageByStage) {
  Trace trace;
  seeded_cost(plan_of([](int i) { return i % 5; }), &trace);
  struct {
    int stage, above;
    double mean;
  } const known[] = {{0, 2, 0.0293801316},  {1, 58, 0.1657931597}, {2, 14, 0.0546430767},
                     {3, 7, 0.0269026701},  {4, 6, 0.0195174310},  {5, 4, 0.0111665870},
                     {6, 57, 0.1512641457}, {24, 5, 0.0214126475}};
  for (const auto& k : known) {
    EXPECT_EQ(trace.above[k.stage], k.above) << "stage " << k.stage;
    EXPECT_NEAR(trace.mean[k.stage], k.mean, 1e-9) << "stage " << k.stage;
  }
  double price = 0.0;
  for (const double p : trace.price) price += p;
  EXPECT_NEAR(price, 14.35, 1e-12);
}

TEST(PestControl, FreshDrawsHaveTheRightMeanAndSpread) {
  struct {
    Plan plan;
    double mean, deviation;
  } const known[] = {{plan_of([](int) { return 0; }), 23.62694, 0.072},
                     {plan_of([](int) { return 3; }), 12.29675, 0.023},
                     {plan_of([](int i) { return i % 5; }), 17.97124, 0.169},
                     {plan_of([](int i) { return i % 2 ? 4 : 0; }), 19.72034, 0.351},
                     {plan_of([](int i) { return i < 24 ? 3 : 0; }), 12.0084, 0.022}};
  const int n = 2000;
  for (const auto& k : known) {
    Rng rng(4);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; ++i) {
      const double error = fresh_cost(k.plan, rng) - k.mean;
      sum += error;
      squares += error * error;
    }
    const double mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
    EXPECT_NEAR(mean, 0.0, 5.0 * k.deviation / std::sqrt(n));
    EXPECT_NEAR(deviation, k.deviation, 0.1 * k.deviation);
  }
}

TEST(PestControl, TaskMaximizesTheNegativeCost) {
  const auto task = make_task("pest-control").value();
  Rng rng(1);
  EXPECT_NEAR(task->evaluate(Point(25, Value(std::string("3"))), rng), -12.28, 1e-9);
  EXPECT_EQ(task->space().cardinality(), std::nullopt);  // 5^25, beyond counting in a double
  EXPECT_FALSE(task->info().optimum->proven);
  const auto fresh = make_task("pest-control?fresh=1").value();
  const Point plan(25, Value(std::string("2")));
  Rng a(1), b(1), c(2);
  const double first = fresh->evaluate(plan, a);
  EXPECT_EQ(first, fresh->evaluate(plan, b));
  EXPECT_NE(first, fresh->evaluate(plan, c));
  EXPECT_FALSE(fresh->noiseless(plan));
}

}  // namespace
}  // namespace vbo::tasks::pest

// SPDX-License-Identifier: MIT
// The engineering problems against what is published about them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.hpp"
#include "random_point.hpp"
#include "tasks/task.hpp"

namespace vbo::tasks {
namespace {

struct Published {
  const char* task;
  Point point;  // as printed, rounded
  double value;
  double rounding;  // relative, of what is printed
};

class Engineering : public ::testing::TestWithParam<Published> {};
INSTANTIATE_TEST_SUITE_P(
    Problems, Engineering,
    ::testing::Values(
        // Coello and Montes 2002 and after
        Published{"welded-beam", {0.205730, 3.470489, 9.036624, 0.205730}, 1.724852, 3e-6},
        Published{"pressure-vessel", {0.8125, 0.4375, 42.098446, 176.636596}, 6059.714335, 1e-7},
        Published{"speed-reducer",
                  {3.5, 0.7, std::int64_t{17}, 7.3, 7.715320, 3.350215, 5.286654},
                  2994.471066,
                  1e-6},
        Published{"tension-spring", {0.051689, 0.356718, 11.288966}, 0.012665, 2e-5}),
    [](const auto& info) {
      std::string name = info.param.task;
      name[name.find('-')] = '_';
      return name;
    });

TEST_P(Engineering, AgreesWithThePublishedOptimum) {
  const auto task = make_task(GetParam().task).value();
  ASSERT_TRUE(task->space().check(GetParam().point));
  const double value = task->noiseless(GetParam().point).value();
  EXPECT_NEAR(value, GetParam().value, GetParam().rounding * GetParam().value);
  // Feasible but for the digits that are not printed.
  EXPECT_LT(violation(task->space().limits(), task->metrics(GetParam().point)), 1e-4);
}

TEST_P(Engineering, DeclaresAFeasibleOptimumThatNothingBeats) {
  const auto task = make_task(GetParam().task).value();
  const Optimum& optimum = task->info().optimum.value();
  EXPECT_EQ(task->info().goal, Goal::minimize);
  EXPECT_NEAR(optimum.value, GetParam().value, 1e-4 * GetParam().value);
  for (const Point& point : optimum.points) {
    EXPECT_EQ(violation(task->space().limits(), task->metrics(point)), 0.0);
    EXPECT_NEAR(task->noiseless(point).value(), optimum.value, 1e-12 * optimum.value);
  }
  Rng rng(3);
  int feasible = 0;
  for (int i = 0; i < 20000; ++i) {
    const Point point = random_point(task->space(), rng);
    const std::map<std::string, double> metrics = task->metrics(point);
    ASSERT_EQ(metrics.size(), task->space().limits().size());
    for (const auto& [name, metric] : metrics) ASSERT_TRUE(std::isfinite(metric)) << name;
    if (violation(task->space().limits(), metrics) > 0.0) continue;
    ++feasible;
    EXPECT_GT(task->noiseless(point).value(), optimum.value);
  }
  EXPECT_GT(feasible, 0);
  EXPECT_LT(feasible, 16000);  // the constraints matter
}

}  // namespace
}  // namespace vbo::tasks

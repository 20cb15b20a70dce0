// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tasks/task.hpp"
#include "vbo/random.hpp"

namespace vbo::tasks {
namespace {

using ::testing::HasSubstr;

std::string error_of(const char* spec) {
  const auto task = make_task(spec);
  return task ? "no error" : task.error().message;
}

TEST(TaskOptions, WrongSpecsAreExplained) {
  EXPECT_THAT(error_of("brannin"), HasSubstr("unknown task \"brannin\", did you mean \"branin\"?"));
  EXPECT_THAT(error_of("qwertyuiop"), HasSubstr("expected one of branin hartmann6"));
  EXPECT_THAT(error_of("sphere?dims=3"), HasSubstr("unknown option \"dims\", expected one of"));
  EXPECT_THAT(error_of("sphere?dim=x"),
              HasSubstr("found \"x\", expected a whole number from 1 to"));
  EXPECT_THAT(error_of("sphere?dim=0"), HasSubstr("option \"dim\": found \"0\""));
  EXPECT_THAT(error_of("sphere?dim=3.5"), HasSubstr("option \"dim\": found \"3.5\""));
  EXPECT_THAT(error_of("rosenbrock?dim=1"), HasSubstr("a whole number from 2"));
  EXPECT_THAT(error_of("sphere?noise=-1"), HasSubstr("a number from 0"));
  EXPECT_THAT(error_of("sphere?noise=nan"), HasSubstr("a number from 0"));
  EXPECT_THAT(error_of("sphere?dim"), HasSubstr("expected option=value"));
  EXPECT_THAT(error_of("sphere?dim=2&dim=3"), HasSubstr("given twice"));
  EXPECT_THAT(error_of("branin?dim=3"), HasSubstr("unknown option \"dim\""));
  EXPECT_THAT(error_of(""), HasSubstr("unknown task"));
}

TEST(TaskOptions, AreDescribed) {
  const auto task = make_task("sphere?dim=3&noise=0.5").value();
  EXPECT_EQ(task->info().spec, "sphere?dim=3&noise=0.5");
  EXPECT_EQ(task->info().noise, 0.5);
  EXPECT_EQ(task->space().size(), 3U);
  EXPECT_EQ(task->info().options.size(), 6U);
}

// Smooth and irregular, but the optimum stays where it was, and is the lowest point.
TEST(TaskOptions, BendingKeepsTheOptimum) {
  const auto plain = make_task("ellipsoid?dim=3&shift=2&rotate=2").value();
  const auto bent = make_task("ellipsoid?dim=3&shift=2&rotate=2&bend=1").value();
  const Point optimum = bent->info().optimum->points.front();
  EXPECT_EQ(optimum, plain->info().optimum->points.front());
  EXPECT_EQ(bent->noiseless(optimum).value(), 0.0);
  Rng rng(1, "bend");
  int different = 0;
  for (int i = 0; i < 100; ++i) {
    Point point = optimum;
    for (Value& v : point) v = std::clamp(std::get<double>(v) + 0.3 * rng.normal(), -5.0, 5.0);
    EXPECT_GT(bent->noiseless(point).value(), 0.0);
    different +=
        std::abs(bent->noiseless(point).value() / plain->noiseless(point).value() - 1.0) > 1e-3;
  }
  EXPECT_GT(different, 90);
}

TEST(TaskOptions, AllTasksStartsWithThePapersOwn) {
  const std::vector<TaskInfo> all = all_tasks();
  ASSERT_GE(all.size(), 20U);
  EXPECT_EQ(all[0].name, "branin");
  EXPECT_EQ(all[1].name, "hartmann6");
  EXPECT_EQ(all[2].name, "ackley10");
  for (const TaskInfo& info : all) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
  }
}

}  // namespace
}  // namespace vbo::tasks

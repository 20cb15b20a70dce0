// SPDX-License-Identifier: MIT
#include "vbo/stop_rule.hpp"

#include <gtest/gtest.h>

#include "vbo/study.hpp"

namespace {

vbo::StudyOptions parabola() {
  vbo::StudyOptions options;
  options.space = vbo::Space::make({vbo::Parameter::real("x", -1, 2)}).value();
  options.optimizer = {.method = "sobol", .seed = 1};
  options.budget = 16;
  return options;
}

double squared(const vbo::Point& point) {
  return std::get<double>(point[0]) * std::get<double>(point[0]);
}

TEST(Api, RunsEndByTheFirstRuleThatHolds) {
  vbo::Study study = vbo::Study::open(parabola()).value();
  const auto executor = vbo::make_function_executor(squared);
  vbo::RunOptions options;
  options.stop = {.value = 0.5};
  const vbo::RunEnd end = study.run(*executor, options).value();
  EXPECT_EQ(vbo::to_string(end), "good_enough");
}

}  // namespace

// SPDX-License-Identifier: MIT
#include "vbo/study.hpp"

#include <gtest/gtest.h>

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

TEST(Api, StudiesAreAskedAndTold) {
  vbo::Study study = vbo::Study::open(parabola()).value();
  for (const vbo::Trial& trial : study.ask(8).value()) {
    ASSERT_TRUE(study.tell(trial.id, squared(trial.point)));
  }
  EXPECT_EQ(study.counts().value().completed, 8);
  const auto executor = vbo::make_function_executor(squared);
  EXPECT_EQ(study.run(*executor).value(), vbo::RunEnd::budget_spent);
  EXPECT_LT(study.best().value()->value(), 0.1);
}

}  // namespace

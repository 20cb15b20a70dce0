// SPDX-License-Identifier: MIT
#include "vbo/verify.hpp"

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

TEST(Api, VerifyingFindsNoProblemInAWholeStudy) {
  vbo::Study study = vbo::Study::open(parabola()).value();
  const auto executor = vbo::make_function_executor(squared);
  ASSERT_TRUE(study.run(*executor));
  const auto storage = study.connect(vbo::Access::read).value();
  const vbo::Verification found = vbo::verify_study(*storage).value();
  EXPECT_EQ(found.results, 16);
  EXPECT_TRUE(found.problems.empty());
}

}  // namespace

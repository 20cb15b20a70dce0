// SPDX-License-Identifier: MIT
#include "vbo/worker.hpp"

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

TEST(Api, AWorkerEvaluatesWhatWaits) {
  vbo::Study study = vbo::Study::open(parabola()).value();
  ASSERT_EQ(study.ask(4).value().size(), 4U);
  const auto storage = study.connect(vbo::Access::queue).value();
  const auto executor = vbo::make_function_executor(squared);
  std::atomic<int> stop{0};
  int done = 0;
  vbo::WorkOptions options{.name = "me", .interrupts = &stop};
  options.on_finished = [&](const vbo::Trial&, vbo::Completion) {
    if (++done == 4) stop = 1;
  };
  EXPECT_EQ(vbo::work(*storage, *executor, options).value(), vbo::WorkEnd::interrupted);
  EXPECT_EQ(study.counts().value().completed, 4);
}

}  // namespace

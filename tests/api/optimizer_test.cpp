// SPDX-License-Identifier: MIT
#include "vbo/optimizer.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, MethodsMaximizeByAskAndTell) {
  const auto space = vbo::Space::make({vbo::Parameter::real("x", 0, 1)}).value();
  const auto method = vbo::make_optimizer(space, {.method = "cmaes", .seed = 1}).value();
  double best = 0.0;
  for (vbo::TrialId id = 1; id <= 60; ++id) {
    const vbo::Point point = method->ask({&id, 1}).front().point;
    const double x = std::get<double>(point[0]);
    const vbo::Trial told = vbo::ended_by({.id = id, .point = point}, vbo::Outcome::of(x - x * x));
    method->tell({&told, 1});
    best = std::max(best, *told.value());
  }
  EXPECT_NEAR(best, 0.25, 1e-3);
  EXPECT_FALSE(vbo::make_optimizer(space, {.method = "no-such-method"}));
}

}  // namespace

// SPDX-License-Identifier: MIT
#include "vbo/trial.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, AnOutcomeEndsATrial) {
  const vbo::Trial open{.id = 1, .point = {0.25}};
  EXPECT_FALSE(open.has_ended());
  const vbo::Trial done = vbo::ended_by(open, vbo::Outcome::of(3.0));
  EXPECT_EQ(done.state, vbo::TrialState::completed);
  EXPECT_EQ(done.value(), 3.0);
}

}  // namespace

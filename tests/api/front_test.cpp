// SPDX-License-Identifier: MIT
#include "vbo/front.hpp"

#include <gtest/gtest.h>

namespace {

vbo::Front line_front() {
  vbo::StudyRecord record;
  record.objectives = {{.name = "cost"}, {.name = "gain", .goal = vbo::Goal::maximize}};
  record.space = vbo::Space::make({vbo::Parameter::real("x", 0, 1)}).value();
  std::vector<vbo::Trial> trials;
  for (vbo::TrialId id = 1; id <= 4; ++id) {
    const auto x = static_cast<double>(id);
    trials.push_back({.id = id, .state = vbo::TrialState::completed, .values = {x * x, x}});
  }
  trials.push_back({.id = 5, .state = vbo::TrialState::completed, .values = {17.0, 3.5}});
  return vbo::make_front(record, trials);
}

TEST(Api, FrontsHoldWhatNothingDominates) {
  const vbo::Front front = line_front();
  EXPECT_EQ(front.trials.size(), 4U);
  EXPECT_GT(front.hypervolume, 0.0);
  const auto weights = vbo::weights_of(front.objectives, {{"gain", 1.0}});
  EXPECT_EQ(vbo::best_by_weights(front, weights.value())->id, 4);
}

}  // namespace

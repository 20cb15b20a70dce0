// SPDX-License-Identifier: MIT
#include "vbo/trade_offs.hpp"

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

TEST(Api, TradeOffsSayWhatAnotherUnitCosts) {
  const vbo::TradeOffs found = vbo::trade_offs_of(line_front());
  EXPECT_EQ(found.extremes, (std::vector<vbo::TrialId>{1, 4}));
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_NEAR(*found.pairs[0].stops[0].buys, 1.0 / 3.0, 1e-12);  // from cost 1 to 4: gain 1 to 2
}

}  // namespace

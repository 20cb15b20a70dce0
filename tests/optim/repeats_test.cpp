// SPDX-License-Identifier: MIT
// What the method within RepeatMethod learns.
#include <gtest/gtest.h>

#include <cmath>

#include "optim/repeats/repeat_method.hpp"

namespace vbo {
namespace {

// Suggests 1, 2, 3, ... and keeps what it is told.
class CountingMethod final : public Optimizer {
 public:
  explicit CountingMethod(std::vector<Trial>& told) : told_(told) {}
  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    std::vector<Suggestion> suggestions;
    for (std::size_t i = 0; i < ids.size(); ++i) suggestions.push_back({{++next_}, {}});
    return suggestions;
  }
  void tell(std::span<const Trial> finished) override {
    told_.insert(told_.end(), finished.begin(), finished.end());
  }

 private:
  std::vector<Trial>& told_;
  double next_ = 0.0;
};

class Repeated : public ::testing::Test {
 protected:
  Trial ended(TrialId id, double value) {
    Trial trial = asked_.at(id);
    trial.state = TrialState::completed;
    trial.values = {value};
    trial.told_in = 100;
    return trial;
  }
  void ask(std::vector<TrialId> ids) {
    const std::vector<Suggestion> suggestions = method_.ask(ids);
    ASSERT_EQ(suggestions.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Trial& trial = asked_[ids[i]];
      trial.id = ids[i];
      trial.asked_in = 1;
      trial.point = suggestions[i].point;
      trial.rationale = suggestions[i].rationale;
    }
  }

  std::vector<Trial> told_;
  std::map<TrialId, Trial> asked_;
  RepeatMethod method_{std::make_unique<CountingMethod>(told_), 3};
};

TEST_F(Repeated, ItLearnsAMeanWithItsStandardErrorOnceAllHaveEnded) {
  ask({1, 2, 3, 4, 5, 6});
  method_.tell(std::vector{ended(1, 1.0), ended(2, 2.0), ended(4, 7.0)});
  EXPECT_TRUE(told_.empty());
  Trial third = ended(3, 3.0);
  method_.tell(std::vector{third});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].id, 1);
  EXPECT_EQ(told_[0].values, std::vector{2.0});
  // One point so far: its variance of 1 is that of all.
  EXPECT_NEAR(told_[0].standard_error.at(0), std::sqrt(1.0 / 3.0), 1e-12);
  method_.tell(std::vector{ended(5, 7.0), ended(6, 7.0)});
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1].values, std::vector{7.0});
  // All of it agrees here, but half of the variance is expected from the other point:
  // (4 (2 + 0) / 4 + 0) / (4 + 2).
  EXPECT_NEAR(told_[1].standard_error.at(0), std::sqrt((2.0 / 6.0) / 3.0), 1e-12);
}

TEST_F(Repeated, WithoutNoiseTheStandardErrorIsZero) {
  ask({1, 2, 3});
  method_.tell(std::vector{ended(1, 0.1), ended(2, 0.1), ended(3, 0.1)});
  EXPECT_NEAR(told_.at(0).standard_error.at(0), 0.0, 1e-15);
}

TEST_F(Repeated, GivenStandardErrorsCountWhereTheyAreLarger) {
  ask({1, 2, 3});
  std::vector<Trial> trials{ended(1, 1.0), ended(2, 1.0), ended(3, 1.0)};
  for (Trial& trial : trials) trial.standard_error = {0.6};
  method_.tell(trials);
  EXPECT_NEAR(told_.at(0).standard_error.at(0), 0.6 / std::sqrt(3.0), 1e-12);
}

TEST_F(Repeated, FailuresLeaveTheMeanOfTheOthers) {
  ask({1, 2, 3, 4, 5, 6});
  std::vector<Trial> trials{ended(1, 0.0), ended(2, 1.0), ended(3, 3.0),
                            ended(4, 1.0), ended(5, 1.0), ended(6, 1.0)};
  for (const std::size_t i : {0, 3, 4, 5}) {
    trials[i].state = TrialState::failed;
    trials[i].values.clear();
    trials[i].failure = Failure{FailureCause::crash, "crashed"};
  }
  trials[1].metrics = {{"mass", 1.0}, {"here", 1.0}};
  trials[2].metrics = {{"mass", 2.0}};
  method_.tell(trials);
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[0].id, 1);
  EXPECT_EQ(told_[0].state, TrialState::completed);
  EXPECT_FALSE(told_[0].failure);
  EXPECT_EQ(told_[0].values, std::vector{2.0});
  EXPECT_EQ(told_[0].metrics, (Metrics{{"mass", 1.5}}));
  EXPECT_EQ(told_[1].id, 4);
  EXPECT_EQ(told_[1].failure->message, "crashed");
}

TEST_F(Repeated, WhereAnotherPointWasSetTheResultStandsAlone) {
  ask({1, 2, 3});
  Trial moved = ended(2, 50.0);
  moved.suggested = moved.point;
  moved.point = {1.5};
  method_.tell(std::vector{moved});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].id, 2);
  method_.tell(std::vector{ended(1, 1.0), ended(3, 2.0)});
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1].id, 1);
  EXPECT_EQ(told_[1].values, std::vector{1.5});
}

TEST_F(Repeated, TheMethodWithinPlansWithPoints) {
  const OptimizerOptions within =
      options_of_points({.method = "vbo", .batch = 16, .budget = 100, .repeats = 3});
  EXPECT_EQ(within.batch, 6);
  EXPECT_EQ(within.budget, 34);
  EXPECT_EQ(within.repeats, 1);
  EXPECT_EQ(options_of_points({.budget = 0, .repeats = 3}).budget, 0);  // unknown stays unknown
}

}  // namespace
}  // namespace vbo

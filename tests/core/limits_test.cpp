// SPDX-License-Identifier: MIT
// Measured constraints: what a violation is, the one order of results, and what is said about wrong
// limits.
#include "core/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;

Space limited(std::vector<Limit> limits) {
  return Space::make({Parameter::real("x", 0, 1)}, {}, std::move(limits)).value();
}

Trial completed(TrialId id, double value, Metrics metrics) {
  return ended_by({.id = id, .point = {0.5}}, {.values = {value}, .metrics = std::move(metrics)});
}

TEST(Limits, ViolationsAreRelativeToTheBoundAndAddUp) {
  const std::vector<Limit> stress = {{"stress", 250.0, {}}};
  EXPECT_EQ(violation(stress, {{"stress", 250.0}}), 0.0);
  EXPECT_EQ(violation(stress, {{"stress", -1e9}}), 0.0);
  EXPECT_DOUBLE_EQ(violation(stress, {{"stress", 500.0}}), std::log(2.0));
  EXPECT_EQ(violation(stress, {{"other", 1.0}}), std::numeric_limits<double>::infinity());

  const std::vector<Limit> all = {{"stress", 250.0, {}}, {"mass", 0.0, {}}, {"load", {}, 10.0}};
  EXPECT_EQ(violation(all, {{"stress", 1.0}, {"mass", 0.0}, {"load", 10.0}}), 0.0);
  EXPECT_DOUBLE_EQ(violation(all, {{"stress", 500.0}, {"mass", 3.0}, {"load", 0.0}}),
                   std::log(2.0) + std::log(4.0) + std::log(2.0));
  const std::vector<Limit> range = {{"ph", 8.0, 6.0}};
  EXPECT_EQ(violation(range, {{"ph", 7.0}}), 0.0);
  EXPECT_DOUBLE_EQ(violation(range, {{"ph", 4.0}}), violation(range, {{"ph", 10.0}}));
}

TEST(Limits, AResultWithoutAMetricThatIsNeededHasFailed) {
  const std::vector<Limit> limits = {{"mass", 3.0, {}}, {"stress", 250.0, {}}};
  const Trial trial =
      ended_by({.id = 1, .point = {0.5}}, {.values = {1.0}, .metrics = {{"mass", 1.0}}}, limits);
  ASSERT_TRUE(trial.failure);
  EXPECT_EQ(trial.state, TrialState::failed);
  EXPECT_FALSE(trial.value());
  EXPECT_EQ(trial.failure->cause, FailureCause::no_value);
  EXPECT_EQ(trial.failure->message, "the metric \"stress\" is missing; a constraint needs it");
  const Outcome whole{.values = {1.0}, .metrics = {{"mass", 9.0}, {"stress", 1.0}}};
  EXPECT_EQ(ended_by({.id = 1}, whole, limits).state, TrialState::completed);
}

TEST(Limits, WrongOnesAreNamed) {
  const auto error = [](Limit limit) {
    const auto space = Space::make({Parameter::real("x", 0, 1)}, {}, {std::move(limit)});
    return space ? std::string("no error") : space.error().message;
  };
  EXPECT_THAT(error({"", 1.0, {}}), HasSubstr("no metric"));
  EXPECT_THAT(error({"stress", {}, {}}), HasSubstr("expected at_most or at_least"));
  EXPECT_THAT(error({"stress", std::nan(""), {}}), HasSubstr("expected a finite number"));
  EXPECT_THAT(error({"ph", 6.0, 8.0}), HasSubstr("at_least is 8 and at_most is 6"));
}

TEST(Limits, ReadBackFromJson) {
  const Space space =
      Space::make({Parameter::real("x", 0, 1)}, {"x > 0.5"}, {{"ph", 8.0, 6.0}, {"mass", 3.5, {}}})
          .value();
  const Space again = space_from(parse_json(dump(json_of(space))).value()).value();
  EXPECT_EQ(again, space);
  EXPECT_NE(again, limited({{"ph", 8.0, 6.0}}));
  EXPECT_FALSE(
      space_from(parse_json(R"({"parameters": [], "constraints": [], "limits": [3]})").value()));
  const Trial trial = completed(1, 2.0, {{"ph", 9.0}, {"mass", 1.0}});
  const Json json = trial_json(space, trial);
  EXPECT_EQ(json["feasible"], false);
  EXPECT_GT(json["violation"].get<double>(), 0.0);
  EXPECT_FALSE(trial_json(limited({}), trial).contains("feasible"));
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "vbo/front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vbo/random.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StudyRecord record_with(std::vector<Objective> objectives) {
  StudyRecord record;
  record.objectives = std::move(objectives);
  record.space = Space::make({Parameter::real("x", 0, 1)}).value();
  return record;
}

Trial result(TrialId id, std::vector<double> values) {
  const std::size_t objectives = values.size();
  Trial trial{.id = id, .point = {0.5}, .asked_in = 1, .told_in = id + 1};
  return ended_by(std::move(trial), {.values = std::move(values)}, {}, objectives);
}

std::vector<TrialId> ids_of(const Front& front) {
  std::vector<TrialId> ids;
  for (const Trial& trial : front.trials) ids.push_back(trial.id);
  return ids;
}

const std::vector<Objective> kCostAndGain = {{"cost", Goal::minimize}, {"gain", Goal::maximize}};

TEST(Front, IsMeasuredAgainstTheWorstAndATenthOfTheRange) {
  const Front front = make_front(record_with(kCostAndGain), std::vector<Trial>{
                                                                result(1, {0.0, 10.0}),
                                                                result(2, {10.0, 20.0}),
                                                                result(3, {10.0, 0.0}),
                                                            });
  EXPECT_THAT(ids_of(front), ElementsAre(1, 2));
  EXPECT_THAT(front.reference, ElementsAre(11.0, -2.0));
  EXPECT_TRUE(front.exact);
  // (11 - 0)(10 + 2) of the first, and of the second what lies above: (11 - 10)(20 - 10).
  EXPECT_DOUBLE_EQ(front.hypervolume, 142.0);
}

TEST(Front, AGivenReferenceCounts) {
  const std::vector<Objective> objectives = {{"cost", Goal::minimize, 5.0},
                                             {"gain", Goal::maximize, 8.0}};
  const std::vector<Trial> trials = {result(1, {0.0, 10.0}), result(2, {10.0, 20.0})};
  const Front front = make_front(record_with(objectives), trials);
  EXPECT_THAT(ids_of(front), ElementsAre(1, 2));
  EXPECT_THAT(front.reference, ElementsAre(5.0, 8.0));
  EXPECT_DOUBLE_EQ(front.hypervolume, 10.0);  // the second is beyond the reference
}

TEST(Front, OneResultAndNone) {
  EXPECT_TRUE(make_front(record_with(kCostAndGain), {}).trials.empty());
  EXPECT_EQ(make_front(record_with(kCostAndGain), {}).hypervolume, 0.0);
  const Front one = make_front(record_with(kCostAndGain), std::vector<Trial>{result(1, {0, 20})});
  EXPECT_THAT(one.reference, ElementsAre(0.1, 18.0));
}

TEST(Front, WithoutWhatIsInfeasibleOrFailed) {
  StudyRecord record = record_with(kCostAndGain);
  record.space = Space::make({Parameter::real("x", 0, 1)}, {}, {{"heat", 50.0, {}}}).value();
  const auto hot = [&](TrialId id, std::vector<double> values, double heat) {
    Trial trial = result(id, std::move(values));
    trial.metrics = {{"heat", heat}};
    return trial;
  };
  Trial failed{.id = 3, .state = TrialState::failed, .failure = Failure{}};
  const std::vector<Trial> trials = {hot(1, {1.0, 1.0}, 40.0), hot(2, {0.0, 9.0}, 60.0), failed};
  EXPECT_THAT(ids_of(make_front(record, trials)), ElementsAre(1));
}

TEST(Front, OfRepeatedPointsTheMeanCountsAndNotALuckyResult) {
  const auto at = [](TrialId id, TrialId first, double x, std::vector<double> values) {
    Trial trial = result(id, std::move(values));
    trial.point = {x};
    if (id != first) trial.rationale.repeat_of = first;
    return trial;
  };
  const std::vector<Trial> trials = {
      at(1, 1, 0.1, {0.0, 10.0}), at(2, 1, 0.1, {4.0, 10.0}),  // the mean is (2, 10)
      at(3, 3, 0.2, {1.0, 8.0}),  at(4, 3, 0.2, {1.0, 8.0}),   // twice the same
      at(5, 5, 0.3, {3.0, 9.0}),  at(6, 1, 0.4, {9.0, 0.0}),   // somebody set another point
  };
  const StudyRecord record = record_with(kCostAndGain);
  const Front front = make_front(record, trials);
  EXPECT_THAT(ids_of(front), ElementsAre(1, 3));
  EXPECT_THAT(front.evaluations, ElementsAre(2, 2));
  EXPECT_THAT(front.trials[0].values, ElementsAre(2.0, 10.0));
  EXPECT_GT(front.trials[0].standard_error.at(0), 0.0);
  EXPECT_THAT(front.trials[1].values, ElementsAre(1.0, 8.0));
  EXPECT_THAT(front.reference, ElementsAre(9.8, -1.0));
  // (9.8 - 2)(10 + 1), and of the second what lies below: (2 - 1)(8 + 1).
  EXPECT_DOUBLE_EQ(front.hypervolume, 7.8 * 11.0 + 9.0);
  std::vector<std::size_t> told(trials.size());
  std::iota(told.begin(), told.end(), std::size_t{0});
  const std::vector<FrontStep> steps = front_steps(record, trials, told);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].id, 3);
  EXPECT_DOUBLE_EQ(steps[1].hypervolume, front.hypervolume);
}

TEST(Front, EqualResultsOfAPointStayAsTheyAre) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 3; ++id) {
    trials.push_back(result(id, {0.1, 0.7}));
    if (id > 1) trials.back().rationale.repeat_of = 1;
  }
  const Front front = make_front(record_with(kCostAndGain), trials);
  EXPECT_THAT(front.trials.at(0).values, ElementsAre(0.1, 0.7));  // to the last bit
  EXPECT_TRUE(front.trials[0].standard_error.empty());
}

TEST(Front, AnEstimateIsCloseToTheVolume) {
  // Points on a simplex in six objectives: too many for the exact volume.
  Rng rng(1, "front");
  std::vector<Objective> objectives;
  for (int m = 0; m < 6; ++m) objectives.push_back({"f" + std::to_string(m), Goal::minimize, 1.0});
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 20; ++id) {
    std::vector<double> values(6);
    double sum = 0.0;
    for (double& value : values) sum += value = -std::log(rng.uniform());
    for (double& value : values) value /= sum;
    trials.push_back(result(id, values));
  }
  const Front exact = make_front(record_with(objectives), trials);
  ASSERT_TRUE(exact.exact);
  // Each point many times over: the same volume, but nothing is counted exactly any more.
  for (TrialId id = 21; id <= 200; ++id) {
    trials.push_back(result(id, trials[static_cast<std::size_t>((id - 1) % 20)].values));
  }
  const Front estimate = make_front(record_with(objectives), trials);
  ASSERT_FALSE(estimate.exact);
  EXPECT_EQ(estimate.trials.size(), 200U);
  EXPECT_NEAR(estimate.hypervolume / exact.hypervolume, 1.0, 0.01);
}

TEST(Front, StepsEndAtTheFrontAndNeverFall) {
  for (const std::size_t objectives : {2U, 3U, 5U}) {
    Rng rng(objectives, "steps");
    std::vector<Objective> all;
    for (std::size_t m = 0; m < objectives; ++m) {
      all.push_back({"f" + std::to_string(m), m % 2 == 0 ? Goal::minimize : Goal::maximize});
    }
    std::vector<Trial> trials;
    for (TrialId id = 1; id <= 300; ++id) {
      std::vector<double> values(objectives);
      for (double& value : values) value = std::floor(20.0 * rng.uniform());
      trials.push_back(result(id, values));
    }
    std::vector<std::size_t> told(trials.size());
    std::iota(told.begin(), told.end(), std::size_t{0});
    std::reverse(told.begin(), told.end());
    const StudyRecord record = record_with(all);
    const Front front = make_front(record, trials);
    const std::vector<FrontStep> steps = front_steps(record, trials, told);
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front().evaluation, 1);
    EXPECT_EQ(steps.front().id, 300);
    EXPECT_EQ(steps.back().size, std::ssize(front.trials));
    EXPECT_NEAR(steps.back().hypervolume, front.hypervolume, 1e-9 * front.hypervolume);
    EXPECT_TRUE(std::ranges::is_sorted(steps, {}, &FrontStep::hypervolume)) << objectives;
  }
}

TEST(Front, WeightsChooseFromIt) {
  const Front front = make_front(
      record_with(kCostAndGain),
      std::vector<Trial>{result(1, {0.0, 10.0}), result(2, {10.0, 20.0}), result(3, {4.0, 15.0})});
  const auto best = [&](const std::map<std::string, double>& weights) {
    return best_by_weights(front, weights_of(kCostAndGain, weights).value())->id;
  };
  EXPECT_EQ(best({{"cost", 1.0}}), 1);
  EXPECT_EQ(best({{"gain", 2.0}}), 2);
  EXPECT_EQ(best({{"cost", 1.0}, {"gain", 1.0}}), 3);  // -11, against -10 twice
  EXPECT_THAT(weights_of(kCostAndGain, {{"gains", 1.0}}).error().message,
              HasSubstr("did you mean \"gain\"?"));
  EXPECT_THAT(weights_of(kCostAndGain, {{"gain", -1.0}}).error().message,
              HasSubstr("the weight of \"gain\" is -1"));
  EXPECT_FALSE(weights_of(kCostAndGain, {}));
}

TEST(Front, TakesThePlaceOfTheBestInAReport) {
  const StudyReport report =
      make_report(record_with(kCostAndGain), {result(1, {0.0, 10.0}), result(2, {10.0, 20.0})}, {});
  ASSERT_TRUE(report.front.has_value());
  EXPECT_THAT(ids_of(*report.front), ElementsAre(1, 2));
  EXPECT_EQ(report.front_steps.size(), 2U);
  EXPECT_FALSE(report.best || report.as_good || !report.curve.empty());
  EXPECT_EQ(report.sources.front().improvements, 2);
}

}  // namespace
}  // namespace vbo

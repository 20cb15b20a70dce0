// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "report/json.hpp"
#include "report/why.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

StudyRecord record(std::int64_t batch, Goal goal = Goal::minimize) {
  StudyRecord record;
  record.name = "o";
  record.objectives = {{.goal = goal}};
  record.budget = 1000;
  record.space = Space::make({Parameter::real("x", -1e9, 1e9)}).value();
  record.optimizer = {.method = "random", .seed = 3, .batch = batch};
  return record;
}

// Values in the order of their results; NaN: failed.
StudyReport report_of(const StudyRecord& record, const std::vector<double>& values) {
  std::vector<Trial> trials;
  for (const double value : values) {
    Trial& trial = trials.emplace_back();
    trial.id = static_cast<TrialId>(trials.size());
    trial.point = {static_cast<double>(trial.id)};
    trial.told_in = trial.id;
    trial.attempts = 1;
    trial.state = std::isfinite(value) ? TrialState::completed : TrialState::failed;
    if (std::isfinite(value)) {
      trial.values = {value};
    } else {
      trial.failure = Failure{FailureCause::crash, "bad"};
    }
  }
  return make_report(record, trials, {});
}

// One better result in each of the first `better` batches of 4, none in the others.
std::vector<double> improving(int better, int batches, double factor = 0.5) {
  std::vector<double> values;
  for (int b = 0; b < batches; ++b) {
    const double best = std::pow(factor, std::min(b, better));
    for (int i = 0; i < 4; ++i) values.push_back(i == 2 ? best : 9.0 + i);
  }
  return values;
}

TEST(Outlook, ItTakesThreeBatches) {
  EXPECT_FALSE(report_of(record(4), improving(9, 2)).outlook);
  const auto outlook = report_of(record(4), improving(9, 3)).outlook;
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->batch, 4);
}

TEST(Outlook, WhatHasImprovedOftenAndLatelyIsLikelyTo) {
  const auto chance = [](int better, int batches) {
    return report_of(record(4), improving(better, batches)).outlook.value().chance;
  };
  EXPECT_GT(chance(20, 20), 0.6);
  EXPECT_LT(chance(0, 20), 0.15);
  EXPECT_GT(chance(19, 20), chance(15, 20));
  EXPECT_GT(chance(15, 20), chance(5, 20));
  EXPECT_GT(chance(0, 5), chance(0, 20));  // less is known
}

TEST(Outlook, TheGainIsBelowTheLatestOnes) {
  const auto outlook = report_of(record(4), improving(9, 10)).outlook.value();
  const double last = std::pow(0.5, 9);
  EXPECT_GT(outlook.gain, 0.1 * last);
  EXPECT_LT(outlook.gain, 3.0 * last);
  EXPECT_DOUBLE_EQ(outlook.expected_gain(), outlook.chance * outlook.gain);
  EXPECT_GT(outlook.share, 0.0);
  EXPECT_LT(outlook.share, 0.01);
}

TEST(Outlook, TheGoalDoesNotMatterNorDoScaleAndFailures) {
  std::vector<double> values = improving(5, 8), negated, failing;
  for (const double v : values) negated.push_back(-1000.0 * v);
  const auto plain = report_of(record(4), values).outlook.value();
  const auto other = report_of(record(4, Goal::maximize), negated).outlook.value();
  EXPECT_DOUBLE_EQ(plain.chance, other.chance);
  EXPECT_NEAR(1000.0 * plain.gain, other.gain, 1e-9 * other.gain);
  EXPECT_NEAR(plain.share, other.share, 1e-12);
  failing = values;
  for (std::size_t i = 1; i < failing.size(); i += 4) failing[i] = NAN;
  EXPECT_DOUBLE_EQ(report_of(record(4), failing).outlook.value().chance, plain.chance);
}

TEST(Outlook, NothingIsSaidWithoutAResultOrUnderNoise) {
  EXPECT_FALSE(report_of(record(4), std::vector<double>(40, NAN)).outlook);
  StudyReport report = report_of(record(4), improving(5, 20));
  ASSERT_TRUE(report.outlook);
  add_estimate(report, {.noise = {.verdict = Noise::none}, .best = {}});
  EXPECT_TRUE(report.outlook);
  add_estimate(report, {.noise = {.verdict = Noise::present}, .best = {}});
  EXPECT_FALSE(report.outlook);
  EXPECT_TRUE(json_of(report.outlook).is_null());
}

TEST(Outlook, ASuggestionIsLessSureThanItsModel) {
  std::vector<Trial> history(1);
  history[0].id = 1;
  history[0].told_in = 2;
  history[0].asked_in = 1;
  history[0].state = TrialState::completed;
  history[0].values = {3.0};
  history[0].point = {1.0};
  const auto said = [&](double stored) {
    Trial trial;
    trial.id = 2;
    trial.asked_in = 3;
    trial.point = {2.0};
    trial.rationale.notes = {{"improves", stored}};
    return prediction_of(record(4), history, trial).beats.value();
  };
  EXPECT_EQ(said(0.25), 0.25);
  EXPECT_EQ(said(0.6), 0.6);
  EXPECT_NEAR(said(1.0), 0.84, 1e-12);
  EXPECT_LT(said(0.7), said(0.71));
}

}  // namespace
}  // namespace vbo

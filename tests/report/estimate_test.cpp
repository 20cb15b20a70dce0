// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "vbo/random.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

// Results of (x - 0.3)^2 + (y - 0.6)^2 with normal noise at random points, `repeats` of each.
struct Sample {
  double noise = 0.0;
  std::size_t points = 80;
  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  Goal goal = Goal::minimize;
  double sem = 0.0;  // given with each result; 0: none

  StudyRecord record() const {
    StudyRecord record;
    record.objectives = {Objective{.goal = goal}};
    record.space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
    return record;
  }
  static double truth(const Point& point) {
    const double x = std::get<double>(point[0]) - 0.3, y = std::get<double>(point[1]) - 0.6;
    return x * x + y * y;
  }
  std::vector<Trial> trials() const {
    Rng rng(seed, "sample");
    std::vector<Trial> all;
    for (std::size_t p = 0; p < points; ++p) {
      const Point point{rng.uniform(), rng.uniform()};
      for (std::size_t r = 0; r < repeats; ++r) {
        Trial& trial = all.emplace_back();
        trial.id = static_cast<TrialId>(all.size());
        trial.point = point;
        trial.state = TrialState::completed;
        const double value = truth(point) + noise * rng.normal();
        trial.values = {goal == Goal::minimize ? value : -value};
        if (sem > 0.0) trial.standard_error = {sem};
      }
    }
    return all;
  }
  Estimate operator()() const { return estimate(record(), trials()); }
};

TEST(Estimate, NoNoiseIsFoundInADeterministicFunction) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Estimate found = Sample{.seed = seed}();
    EXPECT_EQ(found.noise.verdict, Noise::none);
    EXPECT_FALSE(found.best);
  }
}

TEST(Estimate, NothingIsSaidOfFewResultsOrEqualOnes) {
  EXPECT_EQ((Sample{.noise = 0.5, .points = 7}().noise.verdict), Noise::unknown);
  std::vector<Trial> equal = Sample{}.trials();
  for (Trial& trial : equal) trial.values = {1.0};
  EXPECT_EQ(estimate(Sample{}.record(), equal).noise.verdict, Noise::unknown);
}

TEST(Estimate, NoiseIsFoundWithItsSize) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Sample sample{.noise = 0.1, .seed = seed};
    const Estimate found = sample();
    ASSERT_EQ(found.noise.verdict, Noise::present);
    EXPECT_NEAR(found.noise.deviation, 0.1, 0.03);
    EXPECT_GT(found.noise.share, 0.05);
    EXPECT_LT(found.noise.share, 0.6);
    const PointEstimate& best = found.best.value();
    EXPECT_LT(best.low, best.mean);
    EXPECT_LT(best.mean, best.high);
    EXPECT_LT(best.high - best.low, 2.0 * 1.645 * 0.1);  // less than of a single result
    EXPECT_GT(best.chance, 0.0);
    EXPECT_LT(best.chance, 1.0);
    // The luckiest observation is below the truth everywhere; the estimate is not.
    const std::vector<Trial> trials = sample.trials();
    const Trial& trial = trials[static_cast<std::size_t>(best.id - 1)];
    EXPECT_LT(Sample::truth(trial.point), 0.06);
    EXPECT_NEAR(best.mean, Sample::truth(trial.point), 0.1);
  }
}

TEST(Estimate, IsTheSameForBothGoalsAndEveryTime) {
  const Estimate low = Sample{.noise = 0.1}();
  const Estimate high = Sample{.noise = 0.1, .goal = Goal::maximize}();
  EXPECT_EQ(low.best->id, high.best->id);
  EXPECT_EQ(low.best->mean, -high.best->mean);
  EXPECT_EQ(low.best->low, -high.best->high);
  EXPECT_EQ(low.best->chance, high.best->chance);
  EXPECT_EQ(Sample{.noise = 0.1}().best->mean, low.best->mean);
}

TEST(Estimate, RepeatsOfAPointCountTogether) {
  const Sample sample{.noise = 0.1, .points = 20, .repeats = 4};
  const Estimate found = sample();
  ASSERT_EQ(found.noise.verdict, Noise::present);
  EXPECT_EQ(found.best->evaluations, 4);
  EXPECT_EQ(found.best->id % 4, 1);  // the first of its point
  double sum = 0.0;
  const std::vector<Trial> trials = sample.trials();
  for (std::size_t r = 0; r < 4; ++r) {
    sum += *trials[static_cast<std::size_t>(found.best->id) - 1 + r].value();
  }
  EXPECT_DOUBLE_EQ(found.best->observed, sum / 4.0);
  EXPECT_EQ((Sample{.points = 20, .repeats = 4}().noise.verdict), Noise::none);
}

TEST(Estimate, AGivenStandardErrorIsNoise) {
  const Estimate found = Sample{.noise = 0.1, .sem = 0.1}();
  ASSERT_EQ(found.noise.verdict, Noise::present);
  EXPECT_NEAR(found.noise.deviation, 0.1, 0.03);
}

TEST(Estimate, OnlyFeasiblePointsAreRecommended) {
  Sample sample{.noise = 0.1};
  StudyRecord record = sample.record();
  const std::span<const Parameter> parameters = record.space.parameters();
  record.space = Space::make({parameters.begin(), parameters.end()}, {},
                             {Limit{.metric = "m", .at_most = 0.0}})
                     .value();
  std::vector<Trial> trials = sample.trials();
  for (Trial& trial : trials) {
    trial.metrics["m"] = std::get<double>(trial.point[0]) < 0.5 ? 1.0 : -1.0;
  }
  const Estimate found = estimate(record, trials);
  const Trial& trial = trials[static_cast<std::size_t>(found.best.value().id - 1)];
  EXPECT_GE(std::get<double>(trial.point[0]), 0.5);
}

TEST(Estimate, NothingForSeveralObjectives) {
  StudyRecord record = Sample{}.record();
  record.objectives = {Objective{"a"}, Objective{"b"}};
  EXPECT_EQ(estimate(record, Sample{.noise = 0.1}.trials()).noise.verdict, Noise::unknown);
}

}  // namespace
}  // namespace vbo

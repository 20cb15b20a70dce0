// SPDX-License-Identifier: MIT
#include "bench/reading.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/temporary.hpp"

namespace vbo::bench {
namespace {

const double nan = std::nan("");

// Batches of two, the first of them the initial design.
JobResult made(const std::vector<double>& values) {
  JobResult r{.job = {.task = "t",
                      .method = "m",
                      .batch = 2,
                      .rounds = static_cast<std::int64_t>(values.size() / 2)}};
  double sum = 0.0, finite = 0.0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    double batch = 0.0, count = 0.0;
    const auto round = static_cast<std::int64_t>(i / 2 + 1);
    for (const double value : {values[i], values[i + 1]}) {
      r.observations.push_back({.round = round, .value = value, .point = {}});
      if (std::isnan(value)) continue;
      batch += value;
      ++count;
    }
    sum += batch;
    finite += count;
    r.rounds.push_back({.round = round,
                        .evaluations = 2 * round,
                        .best = 9.0,
                        .batch_mean = count > 0 ? batch / count : nan,
                        .average_reward = sum / finite});
  }
  return r;
}

TEST(Reading, TheMainPhaseBeginsAfterTheInitialDesign) {
  JobResult r = made({-100, -50, 1, 3, 4, nan, nan, nan});
  count_main_phase(r);
  EXPECT_TRUE(std::isnan(r.rounds[0].average_reward));
  EXPECT_EQ(r.rounds[1].average_reward, 2.0);
  EXPECT_EQ(r.rounds[2].average_reward, 3.0);
  EXPECT_EQ(r.rounds[3].average_reward, 3.0);  // a round of failures changes nothing
  EXPECT_EQ(r.rounds[0].batch_mean, -75.0);    // what was seen stays
}

TEST(Reading, ADivergingEvaluationCostsWhatTheWorstOfTheDesignDoes) {
  JobResult r = made({-4, 2, 1, -1e9, -3, 5});
  clip_rewards(r, r.observations);
  EXPECT_EQ(r.rounds[0].batch_mean, -1.0);
  EXPECT_EQ(r.rounds[1].batch_mean, -1.5);
  EXPECT_EQ(r.rounds[2].batch_mean, 1.0);
  EXPECT_EQ(r.rounds[2].average_reward, (-4.0 + 2 + 1 - 4 - 3 + 5) / 6);
  EXPECT_EQ(r.rounds[2].best, 9.0);
}

TEST(Reading, IsAppliedToTheTasksNamed) {
  const TemporaryDirectory directory;
  const JobResult r = made({-4, 2, 1, -1e9});
  ASSERT_TRUE(write_job(directory.path(), r));
  const auto reward = [&](const Reading& reading) {
    return read_jobs(directory.path(), reading).value().at(0).rounds.back().average_reward;
  };
  EXPECT_EQ(reward({.main_phase = false}), r.rounds.back().average_reward);
  EXPECT_EQ(reward({.main_phase = false, .clip = {"t"}}), (-4.0 + 2 + 1 - 4) / 4);
  EXPECT_EQ(reward({.main_phase = true, .clip = {"t"}}), -1.5);
  EXPECT_EQ(reward({.main_phase = true, .clip = {"another"}}), (1 - 1e9) / 2);
}

}  // namespace
}  // namespace vbo::bench

// SPDX-License-Identifier: MIT
#include "bench/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/statistics.hpp"

namespace vbo::bench {
namespace {

using ::testing::HasSubstr;

// Three rounds of two evaluations with the given values.
JobResult made(const std::string& method, std::uint64_t seed, const std::vector<double>& values) {
  JobResult r{.job = {.task = "t", .method = method, .batch = 2, .rounds = 3, .seed = seed}};
  r.task.optimum = 10.0;
  double sum = 0.0, best = -1e300;
  for (std::size_t t = 0; t < 3; ++t) {
    const double a = values[2 * t], b = values[2 * t + 1];
    sum += a + b;
    best = std::max({best, a, b});
    const auto round = static_cast<std::int64_t>(t) + 1;
    r.rounds.push_back({.round = round,
                        .evaluations = 2 * round,
                        .best = best,
                        .batch_mean = (a + b) / 2,
                        .average_reward = sum / static_cast<double>(2 * round),
                        .seconds_ask = t == 0 ? 0.0 : 1.0,
                        .seconds_tell = t == 0 ? 100.0 : 0.5,
                        .flops = t == 0 ? 1000U : 10U});
  }
  return r;
}

TEST(Summary, OnNoisyTasksBestIsTheExpectedValueBesideTheHighestReading) {
  std::vector<JobResult> jobs = {made("a", 1, {0, 2, 4, 4, 6, 8}),
                                 made("b", 1, {0, 2, 0, 2, 0, 7})};
  for (RoundRecord& round : jobs[0].rounds) round.incumbent = round.best - 3.0;
  for (RoundRecord& round : jobs[1].rounds) round.incumbent = round.best - 1.0;
  const SummaryOptions options;
  const Summary s = summarize(jobs, options);
  EXPECT_EQ(s.rows[0].method, "a");
  EXPECT_EQ(s.rows[0].best, 5.0);
  EXPECT_EQ(s.rows[0].reading, 8.0);
  EXPECT_EQ(s.rows[0].rank_best, 2.0);  // the luckier reading does not win
  EXPECT_THAT(to_text(s, options, TableFormat::markdown), HasSubstr("highest reading"));
  const auto json = nlohmann::json::parse(to_text(s, options, TableFormat::json));
  EXPECT_EQ(json["rows"][1]["reading"], 7.0);
  jobs[0].rounds.back().incumbent.reset();
  jobs[1].rounds.back().incumbent.reset();
  EXPECT_FALSE(summarize(jobs, options).rows[0].reading);
}

TEST(Summary, NumbersByHand) {
  const std::vector<JobResult> jobs = {made("a", 1, {0, 2, 4, 4, 6, 8}),
                                       made("a", 2, {0, 2, 2, 2, 3, 3}),
                                       made("b", 1, {0, 2, 0, 2, 0, 9})};
  const SummaryOptions options{.last_rounds = 2, .at = {2, 9}};
  const Summary s = summarize(jobs, options);
  ASSERT_EQ(s.rows.size(), 2U);
  const Row& a = s.rows[0];
  EXPECT_EQ(a.method, "a");
  EXPECT_EQ(a.seeds, 2);
  // Seed 1: S = 1, 10/4, 24/6; seed 2: S = 1, 6/4, 12/6. Mean of the last two: 3.25 and 1.75.
  EXPECT_DOUBLE_EQ(a.final_reward, 2.5);
  EXPECT_DOUBLE_EQ(a.variance, 1.125);
  EXPECT_DOUBLE_EQ(a.late_reward, ((4 + 7) / 2.0 + (2 + 3) / 2.0) / 2.0);
  EXPECT_DOUBLE_EQ(a.end_reward, 3.0);
  EXPECT_DOUBLE_EQ(a.best, 5.5);
  EXPECT_DOUBLE_EQ(a.best_q25, 4.25);
  EXPECT_DOUBLE_EQ(*a.gap, 4.5);
  EXPECT_DOUBLE_EQ(a.best_at[0], 3.0);
  EXPECT_TRUE(std::isnan(a.best_at[1]));
  EXPECT_DOUBLE_EQ(a.seconds_per_round, 1.5);  // the initial design is not the method's work
  EXPECT_DOUBLE_EQ(a.flops_per_round, 10.0);
  EXPECT_EQ(a.rank, 1);
  EXPECT_EQ(a.rank_best, 2);  // b: lower reward, higher best
  EXPECT_EQ(s.rows[1].rank_best, 1);
  ASSERT_EQ(s.ranks.size(), 2U);
  EXPECT_EQ(s.ranks[0].method, "a");
  EXPECT_EQ(s.ranks[0].first, 1);
  EXPECT_EQ(s.ranks[1].first_best, 1);
  EXPECT_THAT(s.notes, ::testing::Contains(HasSubstr("1 to 2 seeds")));
}

TEST(Summary, WideTextMarksTheHighest) {
  const SummaryOptions options{.at = {1, 3}};
  const Summary s =
      summarize({made("a", 1, {0, 2, 4, 4, 6, 8}), made("b", 1, {0, 2, 0, 2, 0, 9})}, options);
  const std::string text = to_wide_text(s, options);
  EXPECT_THAT(text, HasSubstr("| task       | round |     a |     b |"));
  EXPECT_THAT(text, HasSubstr("| t, batch 2 |     1 | **2** | **2** |"));
  EXPECT_THAT(text, HasSubstr("| t, batch 2 |     3 |     8 | **9** |"));
}

TEST(Summary, WhoeverFoundTheOptimumSharesTheFirstPlace) {
  const SummaryOptions options;
  const Summary s =
      summarize({made("a", 1, {0, 2, 4, 4, 6, 10}), made("b", 1, {0, 2, 0, 2, 0, 10 - 1e-9}),
                 made("c", 1, {0, 2, 0, 1, 0, 9})},
                options);
  EXPECT_EQ(s.rows[0].rank_best, 1.5);
  EXPECT_EQ(s.rows[1].rank_best, 1.5);
  EXPECT_EQ(s.rows[2].rank_best, 3.0);
  EXPECT_EQ(s.ranks[0].first_best, 1);
  EXPECT_EQ(s.ranks[1].first_best, 1);
  EXPECT_EQ(s.ranks[1].first, 0);
  EXPECT_THAT(to_wide_text(s, options), HasSubstr("| **10** | **10** |"));
}

TEST(Summary, TextFormsAgree) {
  const std::vector<JobResult> jobs = {made("a", 1, {0, 2, 4, 4, 6, 8})};
  const SummaryOptions options{.at = {2}};
  const Summary s = summarize(jobs, options);
  EXPECT_THAT(to_text(s, options, TableFormat::markdown), HasSubstr("| best@2 |"));
  const std::string csv = to_text(s, options, TableFormat::csv);
  EXPECT_THAT(csv, HasSubstr("task,method,batch,rounds,seeds,final_reward"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
  const auto json = nlohmann::json::parse(to_text(s, options, TableFormat::json));
  EXPECT_EQ(json.at("rows").at(0).at("best_at_2"), 4.0);
  EXPECT_EQ(json.at("rows").at(0).at("final_reward"), s.rows[0].final_reward);
}

}  // namespace
}  // namespace vbo::bench

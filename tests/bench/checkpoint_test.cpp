// SPDX-License-Identifier: MIT
// A job that is stopped and continued.
#include <gtest/gtest.h>

#include <fstream>

#include "bench/play.hpp"
#include "bench/temporary.hpp"
#include "vbo/storage.hpp"

namespace vbo::bench {
namespace {

void expect_same(const JobResult& a, const JobResult& b) {
  ASSERT_EQ(a.rounds.size(), b.rounds.size());
  for (std::size_t t = 0; t < a.rounds.size(); ++t) {
    EXPECT_EQ(a.rounds[t].best, b.rounds[t].best);
    EXPECT_EQ(a.rounds[t].incumbent, b.rounds[t].incumbent);
    EXPECT_EQ(a.rounds[t].batch_mean, b.rounds[t].batch_mean);
    EXPECT_EQ(a.rounds[t].average_reward, b.rounds[t].average_reward);
    EXPECT_EQ(a.rounds[t].evaluations, b.rounds[t].evaluations);
    EXPECT_EQ(a.rounds[t].flops, b.rounds[t].flops);
  }
  ASSERT_EQ(a.observations.size(), b.observations.size());
  for (std::size_t i = 0; i < a.observations.size(); ++i) {
    EXPECT_EQ(a.observations[i].point, b.observations[i].point);
    EXPECT_EQ(a.observations[i].round, b.observations[i].round);
  }
}

class Continued : public ::testing::TestWithParam<Job> {};

TEST_P(Continued, GivesTheNumbersOfAnUninterruptedJob) {
  const TemporaryDirectory directory;
  const Job job = GetParam();
  const JobResult whole = play(job, {.keep_points = true}).value();
  const auto path = directory.path() / "job.part";
  // Stopped after every second round until it is through.
  int calls = 0, stops = 0;
  Result<JobResult> result = Error{};
  while (!result && stops < 20) {
    result = play(
        job,
        {.keep_points = true, .cancelled = [&] { return ++calls % 2 == 0; }, .checkpoint = path});
    if (!result) {
      ASSERT_EQ(result.error().kind, ErrorKind::busy) << result.error().message;
      ++stops;
      // A study like any other.
      const auto storage = open_storage(path.string(), Access::read).value();
      EXPECT_EQ(storage->load_study().value()->name, file_stem(job));
      EXPECT_EQ(storage->counts().value().completed, 2 * stops * job.batch);
    }
  }
  EXPECT_EQ(stops, 3);
  ASSERT_TRUE(result);
  expect_same(whole, *result);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Continued,
    ::testing::Values(
        Job{.task = "mixed", .method = "cmaes", .batch = 6, .rounds = 8},
        Job{.task = "hartmann6", .method = "gp-ucb", .batch = 4, .rounds = 8},
        Job{.task = "sphere?dim=3&noise=0.5", .method = "cmaes", .batch = 7, .rounds = 8},
        Job{.task = "branin", .method = "random", .batch = 4, .rounds = 8, .initial_rounds = 3}));

// Rounds a job plays when it may continue from `path`.
int rounds_played(const Job& job, const std::filesystem::path& path) {
  int rounds = 1;  // nobody is asked after the last one
  const PlayOptions options{.cancelled = [&] { return ++rounds < 0; }, .checkpoint = path};
  EXPECT_TRUE(play(job, options));
  return rounds;
}

TEST(CheckpointFile, OfAnotherJobOrBuildOrDamagedIsIgnored) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "job.part";
  const Job job{.task = "branin", .method = "random", .batch = 2, .rounds = 3};
  EXPECT_EQ(rounds_played(job, path), 3);
  ASSERT_FALSE(play(job, {.cancelled = [] { return true; }, .checkpoint = path}));
  EXPECT_EQ(rounds_played(job, path), 2);
  Job other = job;
  other.seed = 2;
  EXPECT_EQ(rounds_played(other, path), 3);
  {
    const auto storage = open_storage(path.string(), Access::coordinate).value();
    const auto study = storage->load_study().value();
    ASSERT_TRUE(storage->update_study(study->budget, "{\"commit\": \"another\"}"));
  }
  EXPECT_EQ(rounds_played(job, path), 3);
  std::ofstream(path, std::ios::binary) << "not a checkpoint";
  EXPECT_EQ(rounds_played(job, path), 3);
}

}  // namespace
}  // namespace vbo::bench

// SPDX-License-Identifier: MIT
#include "bench/reading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "bench/temporary.hpp"

namespace vbo::bench {
namespace {

using ::testing::HasSubstr;

JobResult example() {
  JobResult r{.job = {.task = "mixed?dim=2", .method = "vbo?beta=0.5", .batch = 2, .rounds = 2},
              .origin = this_origin(),
              .task = {.parameters = 2, .optimum = 1.0 / 3.0, .negated = true, .noise = 0.1}};
  r.rounds.push_back({.round = 1, .evaluations = 2, .best = 0.1, .batch_mean = 0.1, .flops = 7});
  r.rounds.push_back({.round = 2,
                      .evaluations = 4,
                      .best = 0.30000000000000004,
                      .incumbent = 0.2,
                      .batch_mean = 1e-300,
                      .average_reward = -5.5,
                      .seconds_ask = 0.001,
                      .seconds_tell = 2.5,
                      .flops = 12345678901234ULL});
  r.parameter_names = {"x", "a,b"};
  r.observations = {{1, 0.1, {0.25, std::string("red")}},
                    {1, missing, {0.5, std::string("say \"hi\"")}},
                    {2, 0.30000000000000004, {1e-9, std::string("a,b")}},
                    {2, -3.0, {0.75, std::string("red")}}};
  return r;
}

TEST(Record, ReadsBackWhatWasWritten) {
  const TemporaryDirectory directory;
  const JobResult written = example();
  ASSERT_TRUE(write_job(directory.path(), written));
  const auto jobs = read_jobs(directory.path(), {.main_phase = false}).value();
  ASSERT_EQ(jobs.size(), 1U);
  const JobResult& read = jobs[0];
  EXPECT_EQ(read.job, written.job);
  EXPECT_EQ(read.origin, written.origin);
  EXPECT_EQ(read.task, written.task);
  ASSERT_EQ(read.rounds.size(), 2U);
  EXPECT_TRUE(std::isnan(read.rounds[0].average_reward));
  EXPECT_EQ(read.rounds[1], written.rounds[1]);
  const auto csv = directory.path() / (file_stem(written.job) + ".csv");
  const auto observations = read_observations(csv).value();
  ASSERT_EQ(observations.size(), 4U);
  EXPECT_EQ(observations[0].value, 0.1);
  EXPECT_TRUE(std::isnan(observations[1].value));
  EXPECT_EQ(observations[2].value, 0.30000000000000004);
  EXPECT_EQ(observations[3].round, 2);
}

TEST(Record, AnUnfinishedOrForeignFileIsNotTakenForAResult) {
  const TemporaryDirectory directory;
  const JobResult written = example();
  ASSERT_TRUE(write_job(directory.path(), written));
  const auto path = directory.path() / (file_stem(written.job) + ".jsonl");
  std::string header, first;
  {
    std::ifstream in(path);
    std::getline(in, header);
    std::getline(in, first);
  }
  std::ofstream(path) << header << "\n" << first << "\n";
  EXPECT_THAT(read_job(path).error().message, HasSubstr("1 of 2 rounds"));
  std::ofstream(path) << header << "\n" << first.substr(0, 20) << "\n";
  EXPECT_THAT(read_job(path).error().message, HasSubstr("line 2"));
  std::ofstream(path) << "{\"hello\": 1}\n";
  EXPECT_THAT(read_job(path).error().message, HasSubstr("line 1"));
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_FALSE(read_job(path));
  EXPECT_FALSE(result_files(directory.path() / "nowhere"));
}

}  // namespace
}  // namespace vbo::bench

// SPDX-License-Identifier: MIT
#include "cluster/fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/launcher.hpp"

namespace vbo {
namespace {

using State = ClusterJob::State;

// A batch system whose jobs a test moves by hand.
class FakeScheduler final : public Scheduler {
 public:
  std::vector<ClusterJob> all;
  std::optional<Error> refuses, away;
  int submissions = 0;
  std::size_t hidden = 0;
  bool cancelled_all = false;

  bool hides = false;  // what it accepts from now on

  Result<void> submit(std::int64_t count, std::vector<std::string>& accepted) override {
    if (refuses) return *refuses;
    ++submissions;
    for (std::int64_t i = 0; i < count; ++i) {
      accepted.push_back(std::to_string(all.size() + 100 * hidden));
      if (hides) ++hidden;
      if (hides) continue;
      all.push_back({std::to_string(all.size()), State::waiting, "Priority"});
    }
    return {};
  }
  Result<std::vector<ClusterJob>> jobs() override {
    if (away) return *away;
    return all;
  }
  Result<void> cancel(std::span<const std::string> ids) override {
    for (ClusterJob& job : all) {
      if (std::find(ids.begin(), ids.end(), job.id) != ids.end()) {
        job.state = State::ended;
        job.word = "CANCELLED";
      }
    }
    return {};
  }
  Result<void> cancel_all() override {
    cancelled_all = true;
    for (ClusterJob& job : all) job.state = State::ended;
    return {};
  }
  std::string last_words(const std::string& id) override { return "words of " + id; }

  void set(State state, const std::string& word = "") {
    for (ClusterJob& job : all) {
      if (job.state == State::ended || job.state == State::failed) continue;
      job.state = state;
      job.word = word;
    }
  }
  std::int64_t count(State state) const {
    return std::count_if(all.begin(), all.end(),
                         [&](const ClusterJob& job) { return job.state == state; });
  }
};

struct FleetTest : ::testing::Test {
  FakeScheduler scheduler;
  std::vector<std::string> said;
  double now = 0.0;
  Fleet fleet{scheduler,
              {.jobs = 4, .slots_per_job = 2, .most_failures = 10},
              [this](const std::string& text) { said.push_back(text); }};

  Result<double> look(std::int64_t left, std::int64_t ended = 0) {
    now += 100.0;  // whatever was to be waited for
    return fleet.look({.left = left, .ended = ended}, now);
  }
};

TEST_F(FleetTest, AsksForAsManyJobsAsTheStudyCanUse) {
  ASSERT_TRUE(look(3));  // two jobs of two evaluations each
  EXPECT_EQ(scheduler.all.size(), 2U);
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.all.size(), 4U);
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.submissions, 2);  // and for no more
}

TEST_F(FleetTest, TakesBackWaitingJobsThatNobodyNeeds) {
  ASSERT_TRUE(look(1000));
  scheduler.all[0].state = State::running;
  ASSERT_TRUE(look(4));
  EXPECT_EQ(scheduler.count(State::waiting), 1);
  ASSERT_TRUE(look(0));
  EXPECT_EQ(scheduler.count(State::waiting), 0);
  EXPECT_EQ(scheduler.count(State::running), 1);  // what runs ends by itself
  ASSERT_TRUE(look(0));
  EXPECT_TRUE(said.empty());  // nobody else has cancelled them
}

TEST_F(FleetTest, JobsThatWereDoneAreReplacedWithoutAWord) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::done, "COMPLETED");
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.count(State::waiting), 4);
  EXPECT_TRUE(said.empty());
}

TEST_F(FleetTest, ReplacesWhatWasLostAndSaysWhy) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::running);
  ASSERT_TRUE(look(900, 100));
  scheduler.all[1].state = State::ended;
  scheduler.all[1].word = "NODE_FAIL";
  ASSERT_TRUE(look(800, 200));
  EXPECT_EQ(scheduler.count(State::waiting), 1);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0], "1 job ended before the study did (NODE_FAIL)");
  ASSERT_TRUE(look(700, 300));
  EXPECT_EQ(scheduler.all.size(), 5U);  // once
}

TEST_F(FleetTest, JobsThatAreAboutToEndAreReplacedAtOnce) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::leaving);
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.count(State::waiting), 4);
  EXPECT_EQ(fleet.alive().value(), 8);  // but may still store something
}

TEST_F(FleetTest, FindsTheJobsOfTheCoordinatorBefore) {
  scheduler.all = {{"a", State::running, ""}, {"b", State::waiting, ""}, {"c", State::failed, ""}};
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.all.size(), 5U);
  EXPECT_TRUE(said.empty());  // old failures are nobody's business
}

TEST_F(FleetTest, TimeLimitsAreNoFailures) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(look(1000));
    scheduler.set(State::ended, "TIMEOUT");
  }
}

TEST_F(FleetTest, JobsThatFailAgainAndAgainEndIt) {
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(look(1000));
    scheduler.set(State::failed, "FAILED");
    ASSERT_TRUE(look(1000));  // sees it; others come with the next look
  }
  ASSERT_TRUE(look(1000));
  scheduler.set(State::failed, "FAILED");
  const auto end = look(1000);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message,
            "12 jobs failed one after another without a result; the last one said: words of 11");
}

TEST_F(FleetTest, AResultInBetweenForgivesFailures) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(look(1000, i)) << i;
    scheduler.set(State::failed, "FAILED");
  }
}

TEST_F(FleetTest, FailedJobsAreReplacedLaterAndLater) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::failed, "FAILED");
  ASSERT_TRUE(fleet.look({.left = 1000}, now));
  EXPECT_EQ(scheduler.submissions, 1);
  ASSERT_TRUE(fleet.look({.left = 1000}, now + 0.9));
  EXPECT_EQ(scheduler.submissions, 1);
  ASSERT_TRUE(fleet.look({.left = 1000}, now + 1.1));
  EXPECT_EQ(scheduler.submissions, 2);
}

TEST_F(FleetTest, ARefusalEndsItWhenNobodyWorks) {
  scheduler.refuses = Error{ErrorKind::invalid_input, "no such partition"};
  const auto end = look(1000);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "no such partition");
}

TEST_F(FleetTest, ARefusalIsSaidOnceWhenOthersWork) {
  ASSERT_TRUE(look(2));
  scheduler.refuses = Error{ErrorKind::invalid_input, "too many jobs"};
  ASSERT_TRUE(look(1000));
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(said, std::vector<std::string>{"too many jobs"});
  scheduler.refuses.reset();
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.all.size(), 4U);
}

TEST_F(FleetTest, ABatchSystemThatGoesAwayIsWaitedFor) {
  scheduler.away = Error{ErrorKind::io, "Slurm cannot be reached"};
  EXPECT_FALSE(look(1000));  // one that was never there is not
  scheduler.away.reset();
  ASSERT_TRUE(look(1000));
  scheduler.away = Error{ErrorKind::io, "Slurm cannot be reached"};
  ASSERT_TRUE(look(1000));
  ASSERT_TRUE(look(1000));
  scheduler.away.reset();
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(said,
            (std::vector<std::string>{"Slurm cannot be reached", "the batch system is back"}));
}

TEST_F(FleetTest, UnusualReasonsToWaitAreSaidOnce) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::waiting, "PartitionTimeLimit");
  ASSERT_TRUE(look(1000));
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(said, std::vector<std::string>{
                      "jobs have to wait, and the reason given is: PartitionTimeLimit"});
}

TEST_F(FleetTest, JobsThatAreNeverListedAreNotAskedForAgainAndEndIt) {
  scheduler.hides = true;
  double pause = 0.0;
  while (now < 290.0) {
    const auto looked = fleet.look({.left = 1000}, now);
    ASSERT_TRUE(looked);
    EXPECT_GE(*looked, std::min(pause, 15.0));  // later and later
    pause = *looked;
    now += pause;
  }
  EXPECT_EQ(scheduler.submissions, 1);
  EXPECT_EQ(scheduler.hidden, 4U);
  EXPECT_EQ(pause, 15.0);
  const auto end = look(1000);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message,
            "4 jobs of this study (0, ...) that the batch system has accepted did not appear in "
            "its list of jobs within 300 s; are they in another cluster, where its list does not "
            "look?");
}

TEST_F(FleetTest, ResultsOfJobsThatAreNotListedCount) {
  scheduler.hides = true;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(look(1000, i));
  EXPECT_EQ(scheduler.submissions, 1);
}

TEST_F(FleetTest, OthersComeForJobsThatAreNotListedWhileSomeAre) {
  ASSERT_TRUE(look(4));
  scheduler.hides = true;
  ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.submissions, 2);
  scheduler.hides = false;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(look(1000));
  EXPECT_EQ(scheduler.submissions, 3);
  EXPECT_EQ(scheduler.count(State::waiting), 4);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("2 jobs of this study (102, ...)")) << said[0];
}

TEST_F(FleetTest, LooksRarelyWhileNothingChanges) {
  ASSERT_TRUE(look(1000));
  scheduler.set(State::running);
  EXPECT_EQ(look(1000).value(), 1.0);
  double pause = 0.0;
  for (int i = 0; i < 6; ++i) pause = look(1000).value();
  EXPECT_EQ(pause, 15.0);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// A study that ends at any moment and is opened again makes the suggestions of one that never
// ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/support.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;
using testing::kill_study;
using testing::objective;
using testing::open_on;
using testing::points_of;
using testing::ScriptedOptions;
using testing::small_study;

// One random walk of asks and tells, always the same for the same seed. Before step i the study is
// ended and opened again when interrupt(i) says how.
enum class Interrupt { none, close, kill };

template <class When>
std::vector<Trial> walk(std::uint64_t seed, ScriptedOptions scripted, When interrupt) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study(), scripted).value();
  Rng rng(seed, "walk");
  std::vector<TrialId> open;
  for (int step = 0; step < 60; ++step) {
    const Interrupt how = interrupt(step);
    if (how == Interrupt::kill) {
      kill_study(std::move(study), storage);
      study = open_on(storage, small_study(), scripted).value();
    } else if (how == Interrupt::close) {
      EXPECT_TRUE(study.close());
      study = open_on(storage, small_study(), scripted).value();
    }
    EXPECT_EQ(study.warning(), "");
    if (open.empty() || rng.below(2) == 0) {
      const auto asked = study.ask(1 + static_cast<std::int64_t>(rng.below(4))).value();
      for (const Trial& trial : asked) open.push_back(trial.id);
      continue;
    }
    std::swap(open[rng.below(open.size())], open.back());
    const TrialId id = open.back();
    open.pop_back();
    if (rng.below(5) == 0) {
      study.tell_failure(id, {FailureCause::crash, "crashed"}).value();
    } else {
      study.tell(id, objective(storage.load_trial(id).value()->point)).value();
    }
  }
  return storage.load_trials(1, -1).value();
}

class Resume : public ::testing::TestWithParam<bool> {};

TEST_P(Resume, IsExactWhereverItHappens) {
  const ScriptedOptions scripted{.snapshots = GetParam()};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto whole = walk(seed, scripted, [](int) { return Interrupt::none; });
    const auto killed_always = walk(seed, scripted, [](int) { return Interrupt::kill; });
    const auto closed_always = walk(seed, scripted, [](int) { return Interrupt::close; });
    Rng rng(seed, "interrupts");
    const auto mixed = walk(seed, scripted, [&](int) {
      return static_cast<Interrupt>(
          std::max<std::int64_t>(0, static_cast<std::int64_t>(rng.below(6)) - 3));
    });
    ASSERT_GT(whole.size(), 40U);
    EXPECT_EQ(points_of(whole), points_of(killed_always)) << seed;
    EXPECT_EQ(points_of(whole), points_of(closed_always)) << seed;
    EXPECT_EQ(points_of(whole), points_of(mixed)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSnapshots, Resume, ::testing::Bool());

TEST(Snapshots, AreTakenWhenTheMethodTrainedAndOnClose) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();  // batch 3: trains at every third tell
  study.ask(4).value();
  EXPECT_FALSE(storage.load_snapshot().value());
  study.tell(1, 0.1).value();
  study.tell(2, 0.2).value();
  EXPECT_FALSE(storage.load_snapshot().value());
  study.tell(3, 0.3).value();
  ASSERT_TRUE(storage.load_snapshot().value());
  EXPECT_EQ(storage.load_snapshot().value()->after, 4);
  study.tell(4, 0.4).value();
  EXPECT_EQ(storage.load_snapshot().value()->after, 4);
  study.close().value();
  EXPECT_EQ(storage.load_snapshot().value()->after, 5);

  const std::int64_t writes = storage.writes();
  { Study again = open_on(storage, small_study()).value(); }
  EXPECT_EQ(storage.writes(), writes);  // nothing new to save
}

TEST(Reports, AreStoredOncePerRound) {
  MemoryStorage storage;
  const auto rounds = [&] {
    std::vector<std::int64_t> found;
    for (const RoundReport& entry : storage.load_reports(-1).value()) {
      found.push_back(entry.report.round);
    }
    return found;
  };
  Study study = open_on(storage, small_study()).value();
  TrialId told = 0;
  for (int i = 0; i < 7; ++i) {
    study.ask(1).value();
    study.tell(++told, 0.5).value();
  }
  EXPECT_EQ(rounds(), (std::vector<std::int64_t>{1, 2}));
  kill_study(std::move(study), storage);
  study = open_on(storage, small_study()).value();
  study.ask(1).value();
  EXPECT_EQ(rounds(), (std::vector<std::int64_t>{1, 2}));
}

TEST(Resume, AnotherBuildKeepsWhatIsStoredAndSaysSo) {
  for (const bool snapshots : {false, true}) {
    MemoryStorage storage;
    std::vector<Point> before;
    {
      Study study = open_on(storage, small_study(), {.snapshots = snapshots}).value();
      before = points_of(study.ask(4).value());
      study.tell(1, 0.5).value();
    }
    Study study = open_on(storage, small_study(), {.snapshots = snapshots, .salt = 1}).value();
    EXPECT_THAT(study.warning(), HasSubstr("other suggestions"));
    if (snapshots) {
      EXPECT_THAT(study.warning(), HasSubstr("the salt is another one"));
    }
    EXPECT_EQ(points_of(study.trials().value()), before);
    EXPECT_TRUE(study.tell(2, 0.5));
    EXPECT_TRUE(study.ask(1));
  }
}

TEST(Resume, ABatchThatNobodyChoseIsTheStoredOne) {
  MemoryStorage storage;
  { (void)open_on(storage, small_study()).value(); }
  StudyOptions options = small_study();
  options.optimizer.batch = 9;
  options.unstated.batch = true;
  EXPECT_EQ(open_on(storage, options).value().record().optimizer.batch, 3);
  options.unstated.batch = false;
  EXPECT_EQ(open_on(storage, options).value().change(), "batch: stored 3, given 9");
}

TEST(Resume, WhatNobodyChoseIsAsStored) {
  MemoryStorage storage;
  { (void)open_on(storage, small_study()).value(); }
  StudyOptions options = small_study();
  options.name = "other";
  options.budget = 7;
  options.optimizer.seed = 99;
  options.optimizer.settings["beta"] = 0.5;
  EXPECT_FALSE(open_on(storage, options));
  options.unstated = {.name = true, .budget = true, .seed = true, .settings = true};
  const StudyRecord stored = open_on(storage, options).value().record();
  EXPECT_EQ(stored.name, "small");
  EXPECT_EQ(stored.budget, 40);
  EXPECT_EQ(stored.optimizer.seed, 1u);
  EXPECT_TRUE(stored.optimizer.settings.empty());
}

TEST(Resume, AnOpenStudyGoesOnWithOtherOptions) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  StudyOptions options = small_study();
  options.budget = 60;
  ASSERT_TRUE(study.go_on_with(options));
  EXPECT_EQ(study.record().budget, 60);
  options.optimizer.seed = 2;
  const auto refused = study.go_on_with(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("seed: stored 1, given 2"));
}

TEST(Resume, ADifferentStudyIsRefusedFieldByField) {
  MemoryStorage storage;
  { (void)open_on(storage, small_study()).value(); }
  const auto message = [&](auto change) {
    StudyOptions options = small_study();
    options.storage = "small.db";
    change(options);
    const auto study = open_on(storage, options);
    if (!study) {
      EXPECT_EQ(study.error().kind, ErrorKind::conflict);
    }
    return study ? std::string("no error") : study.error().message;
  };
  EXPECT_THAT(message([](StudyOptions& o) { o.objectives = {{.goal = Goal::maximize}}; }),
              HasSubstr("goal: stored \"minimize\", given \"maximize\""));
  EXPECT_THAT(message([](StudyOptions& o) { o.name = "other"; }),
              HasSubstr("name: stored \"small\", given \"other\""));
  EXPECT_THAT(message([](StudyOptions& o) { o.optimizer.seed = 2; }),
              HasSubstr("seed: stored 1, given 2"));
  const std::string bounds = message([](StudyOptions& o) {
    o.space = Space::make({Parameter::real("x", 0, 2), Parameter::real("y", 0, 1)}).value();
  });
  EXPECT_THAT(bounds, HasSubstr("parameter x low: stored -1.0, given 0.0"));
  EXPECT_THAT(bounds, HasSubstr("parameter n: stored {\"type\":\"int\""));
  EXPECT_THAT(bounds, HasSubstr("parameter y: stored nothing, given {\"type\":\"float\""));
  EXPECT_THAT(
      message([](StudyOptions& o) {
        o.space =
            Space::make({Parameter::integer("n", 1, 1000), Parameter::real("x", -1, 1)}).value();
      }),
      HasSubstr("in another order"));
  EXPECT_EQ(storage.load_study().value()->budget, 40);

  EXPECT_EQ(message([](StudyOptions& o) {
              o.budget = 50;
              o.evaluate_json = "{}";
              o.optimizer.threads = 7;
            }),
            "no error");
  EXPECT_EQ(storage.load_study().value()->budget, 50);
  EXPECT_EQ(message([](StudyOptions& o) {
              o.budget = 20;
              o.evaluate_json = "{}";
            }),
            "no error");
  EXPECT_EQ(storage.load_study().value()->budget, 20);
  EXPECT_EQ(storage.load_study().value()->evaluate_json, "{}");
  EXPECT_EQ(storage.load_study().value()->optimizer.budget, 40);  // what the method was told
}

// Every write fails once, in every way: the error is passed on, and after the trouble is over the
// same Study goes on as if nothing had happened.
TEST(Faults, EveryWriteMayFailAndNothingIsLostOrChanged) {
  const auto script = [](MemoryStorage& storage, const std::optional<Error>& fault,
                         std::int64_t nth, int& errors) {
    Study study = open_on(storage, small_study()).value();
    if (fault) storage.fail_from_write(nth, *fault);
    const auto retry = [&](auto action) {
      auto result = action();
      if (!result) {
        ++errors;
        EXPECT_EQ(result.error().kind, fault->kind);
        EXPECT_EQ(result.error().message, fault->message);
        storage.repair();
        result = action();
      }
      return result.value();
    };
    TrialId next = 1;
    for (int round = 0; round < 4; ++round) {
      for (const Trial& trial : retry([&] { return study.ask(2); })) {
        EXPECT_EQ(trial.id, next++);
        retry([&]() -> Result<int> {
          const auto told = study.tell(trial.id, objective(trial.point));
          return told ? Result<int>(0) : Result<int>(told.error());
        });
      }
    }
    storage.repair();
    return storage.load_trials(1, -1).value();
  };
  MemoryStorage untroubled;
  int errors = 0;
  const auto expected = script(untroubled, std::nullopt, 0, errors);
  const std::int64_t writes = untroubled.writes();
  ASSERT_GT(writes, 12);
  for (const Error& fault : {Error{ErrorKind::io, "no space left"},
                             Error{ErrorKind::io, "read-only"}, Error{ErrorKind::busy, "in use"}}) {
    int total = 0;
    for (std::int64_t nth = 1; nth < writes; ++nth) {
      MemoryStorage storage;
      const auto trials = script(storage, fault, nth, total);
      EXPECT_EQ(points_of(trials), points_of(expected)) << nth;
      for (std::size_t i = 0; i < trials.size(); ++i) {
        EXPECT_EQ(trials[i].value(), expected[i].value());
        EXPECT_EQ(trials[i].asked_in, expected[i].asked_in);
        EXPECT_EQ(trials[i].told_in, expected[i].told_in);
      }
    }
    EXPECT_GE(total, 12);  // 4 asks and 8 tells; a snapshot that fails is no error
  }
}

TEST(Faults, AStudyThatCannotBeCreatedLeavesNothing) {
  MemoryStorage storage;
  storage.fail_from_write(1, {ErrorKind::io, "no space left"});
  EXPECT_EQ(open_on(storage, small_study()).error().message, "no space left");
  EXPECT_EQ(storage.load_study().value(), std::nullopt);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// Every point evaluated several times: what is suggested, what is stored, and that it comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "study/support.hpp"
#include "vbo/executor.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;
using testing::kill_study;
using testing::points_of;

StudyOptions repeated(const std::string& method, std::int64_t repeats = 3) {
  StudyOptions options = testing::small_study();
  options.optimizer = {.method = method, .seed = 5, .batch = 6, .threads = 1, .repeats = repeats};
  return options;
}

Study open(const MemoryStorage& storage, const StudyOptions& options) {
  return Study::open(options, {std::make_unique<MemoryStorage>(storage), nullptr}).value();
}

double noisy(const Trial& trial) {
  return testing::objective(trial.point) +
         0.1 * Rng(9, "noise", static_cast<std::uint64_t>(trial.id)).normal();
}

TEST(Repeats, EveryPointIsSuggestedSoManyTimes) {
  MemoryStorage storage;
  Study study = open(storage, repeated("random"));
  std::vector<Trial> trials = study.ask(4).value();  // one point, and the first of the next
  for (Trial& trial : study.ask(5).value()) trials.push_back(std::move(trial));
  ASSERT_EQ(trials.size(), 9U);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& first = trials[i - i % 3];
    EXPECT_EQ(trials[i].point, first.point);
    EXPECT_EQ(trials[i].rationale.repeat_of, i % 3 == 0 ? 0 : first.id);
    EXPECT_EQ(trials[i].rationale.repeat, static_cast<std::int64_t>(i % 3) + 1);
    EXPECT_EQ(trials[i].rationale.origin, i % 3 == 0 ? Origin::method : Origin::repeat);
  }
  EXPECT_NE(trials[3].point, trials[0].point);
  const Trial stored = *storage.load_trial(5).value();
  EXPECT_EQ(stored.rationale.repeat_of, 4);
  EXPECT_EQ(stored.rationale.repeat, 2);
}

TEST(Repeats, EachEvaluationHasItsOwnSeed) {
  MemoryStorage storage;
  Study study = open(storage, repeated("random"));
  std::set<std::int64_t> seeds;
  for (const Trial& trial : study.ask(9).value()) {
    const Job job = job_of(trial, study.record().optimizer.seed);
    EXPECT_EQ(job.repeat, trial.rationale.repeat);
    EXPECT_GE(job.seed, 0);
    EXPECT_LT(job.seed, std::int64_t{1} << 31U);
    EXPECT_EQ(job.seed, job_of(trial, 5).seed);
    EXPECT_NE(job.seed, job_of(trial, 6).seed);
    seeds.insert(job.seed);
  }
  EXPECT_EQ(seeds.size(), 9U);
}

TEST(Repeats, TheGaussianProcessIsSurerAboutAMeanThanAboutOneResult) {
  // The same values, once as they are, once as means with their standard errors.
  const auto deviation_with = [](std::vector<double> sem) {
    MemoryStorage storage;
    StudyOptions options = testing::small_study();
    options.optimizer = {.method = "gp-logei", .seed = 2, .batch = 8, .threads = 1};
    Study study = open(storage, options);
    for (int round = 0; round < 3; ++round) {
      std::vector<Outcome> outcomes;
      for (const Trial& trial : study.ask(8).value()) {
        outcomes.push_back({.id = trial.id, .values = {noisy(trial)}, .standard_error = sem});
      }
      study.tell(std::move(outcomes)).value();
    }
    study.ask(1).value();
    return study.report().recommendation.value().deviation;
  };
  EXPECT_GT(deviation_with({1.0}), 2.0 * deviation_with({0.01}));
}

// With standard errors of 0 the methods suggest what they do without, with others something else.
TEST(Repeats, SuggestionsFollowGivenStandardErrors) {
  const auto points_with = [](const std::string& method, double sem) {
    MemoryStorage storage;
    StudyOptions options = testing::small_study();
    options.optimizer = {.method = method, .seed = 2, .batch = 8, .threads = 1};
    const bool several = method == "pareto";
    if (several) options.objectives = {{"a"}, {"b"}};
    Study study = open(storage, options);
    for (int round = 0; round < 4; ++round) {
      std::vector<Outcome> outcomes;
      for (const Trial& trial : study.ask(8).value()) {
        Outcome& outcome = outcomes.emplace_back(Outcome{.id = trial.id, .values = {noisy(trial)}});
        if (several) outcome.values.push_back(-noisy(trial));
        if (sem >= 0.0) outcome.standard_error.assign(outcome.values.size(), sem);
      }
      study.tell(std::move(outcomes)).value();
    }
    return points_of(storage.load_trials(1, -1).value());
  };
  for (const char* method : {"vbo", "pareto"}) {
    EXPECT_EQ(points_with(method, 0.0), points_with(method, -1.0)) << method;
    EXPECT_NE(points_with(method, 0.5), points_with(method, -1.0)) << method;
  }
}

class AutoRepeatsResume : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<Trial> run(const std::set<TrialId>& kills, bool corrections) {
    MemoryStorage storage;
    StudyOptions options = repeated(GetParam(), kAutoRepeats);
    options.budget = 100;
    Study study = open(storage, options);
    study.ask(7).value();
    for (TrialId id = 1; id <= 93; ++id) {
      const Trial trial = *storage.load_trial(id).value();
      if (trial.has_ended()) {
        continue;  // it was added
      } else if (corrections && id == 44) {
        study.drop({44}, "no sample left").value();
      } else if (id % 11 == 0) {
        study.tell_failure(id, {FailureCause::crash, "crashed"}).value();
      } else {
        study.tell(id, noisy(trial)).value();
      }
      if (corrections && id == 50) {
        Outcome other = Outcome::of(0.25);
        other.id = 47;
        study.replace(other, "misread").value();
        std::vector<Evaluated> past = {{trial.point, Outcome::of(0.5)}};
        study.add(std::move(past)).value();
      }
      study.ask(1).value();
      if (!kills.contains(id)) continue;
      kill_study(std::move(study), storage);
      study = open(storage, options);
      EXPECT_EQ(study.warning(), "") << "killed after trial " << id;
    }
    return storage.load_trials(1, -1).value();
  }
};

TEST_P(AutoRepeatsResume, IsExact) {
  const std::vector<Trial> trials = run({}, false);
  EXPECT_EQ(points_of(run({9, 31, 57, 91}, false)), points_of(trials));
  EXPECT_GT(std::ranges::count_if(
                trials, [](const Trial& t) { return t.rationale.origin == Origin::repeat; }),
            5);
}

TEST_P(AutoRepeatsResume, IsExactAfterCorrections) {
  EXPECT_EQ(points_of(run({16, 46, 52, 80}, true)), points_of(run({}, true)));
}

INSTANTIATE_TEST_SUITE_P(Methods, AutoRepeatsResume, ::testing::Values("random", "cmaes", "vbo"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Repeats, AutoCostsOnePercentWithoutNoise) {
  for (const std::int64_t budget : {60, 200, 300}) {
    MemoryStorage storage;
    StudyOptions options = repeated("random", kAutoRepeats);
    options.budget = budget;
    Study study = open(storage, options);
    std::int64_t repeats = 0;
    for (std::int64_t i = 0; i < budget; ++i) {
      const Trial trial = study.ask(1).value().front();
      repeats += trial.rationale.repeat_of != 0;
      study.tell(trial.id, testing::objective(trial.point)).value();
    }
    EXPECT_EQ(repeats, budget >= 100 ? 1 : 0) << budget;
  }
}

TEST(Repeats, AutoInAFiniteSpaceSeesEveryPoint) {
  MemoryStorage storage;
  StudyOptions options = repeated("random", kAutoRepeats);
  options.space = Space::make({Parameter::integer("n", 1, 5)}).value();
  Study study = open(storage, options);
  std::set<std::string> seen;
  while (true) {
    const std::vector<Trial> trials = study.ask(2).value();
    for (const Trial& trial : trials) {
      seen.insert(to_string(trial.point[0]));
      const double noise = Rng(9, "noise", static_cast<std::uint64_t>(trial.id)).normal();
      study.tell(trial.id, noise).value();
    }
    if (trials.empty()) break;
  }
  EXPECT_EQ(seen.size(), 5U);
}

class RepeatsResume : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<Trial> run(const std::set<TrialId>& kills, bool corrections) {
    MemoryStorage storage;
    const StudyOptions options = repeated(GetParam());
    Study study = open(storage, options);
    study.ask(7).value();
    for (TrialId id = 1; id <= 40; ++id) {
      const Trial trial = *storage.load_trial(id).value();
      if (corrections && id == 14) {
        study.drop({14}, "no sample left").value();
      } else if (id % 11 == 0) {
        study.tell_failure(id, {FailureCause::crash, "crashed"}).value();
      } else {
        study.tell(id, noisy(trial)).value();
      }
      if (corrections && id == 20) {
        Outcome other = Outcome::of(0.25);
        other.id = 17;
        study.replace(other, "misread").value();
      }
      study.ask(1).value();
      if (!kills.contains(id)) continue;
      kill_study(std::move(study), storage);
      study = open(storage, options);
      EXPECT_EQ(study.warning(), "") << "killed after trial " << id;
    }
    return storage.load_trials(1, -1).value();
  }
};

TEST_P(RepeatsResume, IsExact) {
  EXPECT_EQ(points_of(run({2, 9, 20, 31}, false)), points_of(run({}, false)));
}

TEST_P(RepeatsResume, IsExactAfterCorrections) {
  const std::vector<Trial> trials = run({2, 16, 21, 31}, true);
  EXPECT_EQ(points_of(trials), points_of(run({}, true)));
  // The dropped evaluation is made up for: every point but the last has three.
  std::map<TrialId, int> evaluations;
  for (const Trial& trial : trials) {
    ++evaluations[trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id];
  }
  int incomplete = 0;
  for (const auto& [first, count] : evaluations) incomplete += count != 3;
  EXPECT_LE(incomplete, std::string(GetParam()) == "random" ? 2 : 1);
}

INSTANTIATE_TEST_SUITE_P(Methods, RepeatsResume,
                         ::testing::Values("random", "cmaes", "gp-logei", "vbo"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Repeats, AFiniteSpaceIsEvaluatedSoManyTimes) {
  MemoryStorage storage;
  StudyOptions options = repeated("random", 4);
  options.space = Space::make({Parameter::integer("n", 1, 5)}).value();
  Study study = open(storage, options);
  std::map<std::string, int> count;
  std::vector<Trial> trials;
  for (int i = 0; i < 10; ++i) {
    for (Trial& trial : study.ask(3).value()) {
      ++count[to_string(trial.point[0])];
      study.tell(trial.id, 1.0).value();
      trials.push_back(std::move(trial));
    }
  }
  EXPECT_EQ(trials.size(), 20U);
  EXPECT_EQ(count.size(), 5U);
  for (const auto& [point, times] : count) EXPECT_EQ(times, 4) << point;
  EXPECT_TRUE(study.ask(1).value().empty());
}

TEST(Repeats, StartPointsAreRepeatedAsWell) {
  MemoryStorage storage;
  StudyOptions options = repeated("gp-logei", 2);
  options.start = {{Value(0.25), Value(std::int64_t{7})}, {Value(-0.5), std::nullopt}};
  Study study = open(storage, options);
  const std::vector<Trial> trials = study.ask(6).value();
  EXPECT_EQ(trials[0].point, (Point{0.25, std::int64_t{7}}));
  EXPECT_EQ(trials[1].point, trials[0].point);
  EXPECT_EQ(std::get<double>(trials[2].point[0]), -0.5);
  EXPECT_EQ(trials[3].point, trials[2].point);
  EXPECT_EQ(trials[4].rationale.origin, Origin::method);
}

TEST(Repeats, AddedResultsOfOnePointAreRepeats) {
  MemoryStorage storage;
  Study study = open(storage, repeated("gp-logei", 2));
  const Point a{0.5, std::int64_t{3}}, b{0.25, std::int64_t{3}};
  std::vector<Evaluated> results;
  for (const Point& point : {a, b, a, a}) results.push_back({point, Outcome::of(1.0)});
  const std::vector<Trial> added = study.add(std::move(results)).value();
  std::vector<std::int64_t> of, number;
  for (const Trial& trial : added) {
    of.push_back(trial.rationale.repeat_of);
    number.push_back(trial.rationale.repeat);
  }
  EXPECT_EQ(of, (std::vector<std::int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(number, (std::vector<std::int64_t>{1, 1, 2, 3}));
}

TEST(Repeats, WhatIsAddedAtAPointOfBeforeRepeatsIt) {
  MemoryStorage storage;
  Study study = open(storage, repeated("random", 1));
  const std::vector<Trial> asked = study.ask(2).value();
  const auto add = [&](const Point& point) {
    std::vector<Evaluated> results = {{point, Outcome::of(1.0)}};
    return study.add(std::move(results)).value().front().rationale;
  };
  EXPECT_EQ(add(asked[1].point).repeat_of, 2);
  EXPECT_EQ(add(asked[1].point).repeat, 3);
  const Trial third = study.ask(1).value().front();
  EXPECT_EQ(add(third.point).repeat_of, third.id);
  kill_study(std::move(study), storage);
  study = open(storage, repeated("random", 1));
  EXPECT_EQ(add(asked[1].point).repeat, 4);
  study.drop({1}).value();
  EXPECT_EQ(add(asked[0].point).repeat_of, 0);
}

TEST(Repeats, AnotherNumberThanTheStoredOneIsAConflict) {
  MemoryStorage storage;
  { const Study study = open(storage, repeated("random", 3)); }
  const Result<Study> other =
      Study::open(repeated("random", 2), {std::make_unique<MemoryStorage>(storage), nullptr});
  EXPECT_THAT(other.error().message, HasSubstr("repeats: stored 3, given 2"));
  StudyOptions unstated = repeated("random", 1);
  unstated.unstated.repeats = true;
  EXPECT_EQ(open(storage, unstated).record().optimizer.repeats, 3);
}

TEST(Repeats, OutOfRangeIsRefused) {
  const StudyOptions options = repeated("random", -1);
  EXPECT_THAT(check_optimizer(options.space, options.optimizer).error().message,
              HasSubstr("repeats is -1, expected \"auto\" or 1 to 1000"));
}

}  // namespace
}  // namespace vbo

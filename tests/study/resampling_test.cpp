// SPDX-License-Identifier: MIT
// Points of a used up finite space, evaluated once more where there is noise.
#include "study/resampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "study/support.hpp"
#include "vbo/random.hpp"
#include "vbo/verify.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kill_study;
using testing::points_of;

class Told {
 public:
  explicit Told(std::vector<Objective> objectives = {{}}, std::vector<Limit> limits = {})
      : resampling(objectives, limits) {}

  void ask(std::int64_t point) {
    trials_.push_back({.id = std::ssize(trials_) + 1, .point = {point}});
    resampling.count_asked(trials_.back());
  }
  void end(TrialId id, std::vector<double> values, std::vector<double> sem = {},
           Metrics metrics = {}) {
    Trial trial = trials_[static_cast<std::size_t>(id - 1)];
    trial.state = values.empty() ? TrialState::failed : TrialState::completed;
    trial.values = std::move(values);
    trial.standard_error = std::move(sem);
    trial.metrics = std::move(metrics);
    resampling.count_ended(trial);
  }
  void result(std::int64_t point, std::vector<double> values, std::vector<double> sem = {},
              Metrics metrics = {}) {
    ask(point);
    end(std::ssize(trials_), std::move(values), std::move(sem), std::move(metrics));
  }

  study::Resampling resampling;

 private:
  std::vector<Trial> trials_;
};

TEST(Resampling, OneEqualResultIsEvidenceOfNoNoise) {
  Told told;
  for (const int n : {0, 1, 2}) told.result(n, {1.0 + n});
  EXPECT_THAT(told.resampling.choose(5), ElementsAre(1));  // minimized: the best
  told.ask(0);
  EXPECT_THAT(told.resampling.choose(5), IsEmpty());  // its result decides
  told.end(4, {1.0 + 1e-15});
  EXPECT_THAT(told.resampling.choose(5), IsEmpty());
}

TEST(Resampling, EqualValuesOfDifferentPointsTakeFour) {
  Told told;
  for (const int n : {0, 1, 2, 3, 4, 5}) told.result(n, {n % 2 == 0 ? 1.0 : 0.0});
  std::vector<TrialId> probed;
  for (std::vector<TrialId> next = told.resampling.choose(1); !next.empty();
       next = told.resampling.choose(1)) {
    probed.push_back(next.front());
    const std::int64_t n = std::get<std::int64_t>(told.resampling.point(next.front())[0]);
    told.result(n, {n % 2 == 0 ? 1.0 : 0.0});
  }
  EXPECT_THAT(probed, ElementsAre(2, 4, 6, 1));
}

TEST(Resampling, AStandardErrorIsEvidenceOfNoise) {
  Told told;
  for (const int n : {0, 1, 2}) told.result(n, {1.0 + n}, {0.6});
  // 3 is 2 worse than the best, which is more than two standard errors of a difference, 1.7.
  EXPECT_THAT(told.resampling.choose(4), ElementsAre(1, 2, 1, 2));
}

TEST(Resampling, PointsThatMayBeTheBestGetEqualNumbersOfResults) {
  Told told({{"value", Goal::maximize, {}}});
  for (int k = 0; k < 4; ++k) {
    const double noise = k % 2 == 0 ? 0.1 : -0.1;
    told.result(0, {1.0 + noise});
    if (k < 2) told.result(1, {0.95 - noise});
    told.result(2, {-5.0 + noise});
  }
  EXPECT_EQ(told.resampling.evaluations(1), 4);
  EXPECT_THAT(told.resampling.choose(3), ElementsAre(2, 2, 1));  // the second point has two fewer
}

TEST(Resampling, WhatFailsOrIsInfeasibleIsLeftOut) {
  Told told({{}}, {Limit{.metric = "mass", .at_most = 1.0, .at_least = {}}});
  told.result(0, {1.0}, {0.1}, {{"mass", 2.0}});
  told.result(1, {});
  told.result(2, {3.0}, {0.1}, {{"mass", 0.5}});
  told.result(3, {3.1}, {0.1}, {{"mass", 0.5}});
  EXPECT_THAT(told.resampling.choose(2), ElementsAre(3, 4));
}

TEST(Resampling, OfSeveralObjectivesThoseThatMayBeOnTheFront) {
  Told told({{"a", Goal::minimize, {}}, {"b", Goal::minimize, {}}});
  told.result(0, {0.0, 9.0}, {0.1, 0.1});
  told.result(1, {9.0, 0.0}, {0.1, 0.1});
  told.result(2, {9.1, 0.1}, {0.1, 0.1});  // within the noise
  told.result(3, {9.0, 9.0}, {0.1, 0.1});  // nobody is better in both
  told.result(4, {9.9, 9.9}, {0.1, 0.1});  // the one before is, by more than the noise
  EXPECT_THAT(told.resampling.choose(4), ElementsAre(1, 2, 3, 4));
}

// ---- in a study ---------------------------------------------------------------------------------

StudyOptions six_points(const std::string& method) {
  StudyOptions options = testing::small_study();
  options.space = Space::make({Parameter::integer("n", 0, 5)}).value();
  options.budget = 60;
  options.optimizer = {.method = method, .seed = 5, .batch = 2, .threads = 1};
  return options;
}

Study open_there(const MemoryStorage& storage, const StudyOptions& options) {
  return Study::open(options, {std::make_unique<MemoryStorage>(storage), nullptr}).value();
}

double value_of(const Trial& trial, double noise) {
  const auto n = static_cast<double>(std::get<std::int64_t>(trial.point[0]));
  return 0.2 * (n - 2.0) * (n - 2.0) +
         noise * Rng(9, "noise", static_cast<std::uint64_t>(trial.id)).normal();
}

class ResampledStudy : public ::testing::TestWithParam<const char*> {};

TEST_P(ResampledStudy, SpendsTheBudgetWhereThereIsNoise) {
  MemoryStorage storage;
  Study study = open_there(storage, six_points(GetParam()));
  std::map<std::int64_t, int> evaluations;
  for (std::vector<Trial> trials = study.ask(4).value(); !trials.empty();
       trials = study.ask(4).value()) {
    for (const Trial& trial : trials) {
      ++evaluations[std::get<std::int64_t>(trial.point[0])];
      study.tell(trial.id, value_of(trial, 0.3)).value();
    }
  }
  EXPECT_EQ(study.counts().value().completed, 60);
  EXPECT_EQ(evaluations.size(), 6U);
  EXPECT_GE(evaluations[2], 12);  // the best and its neighbours, 0.2 worse
  EXPECT_LE(evaluations[5], 6);   // 1.8 worse
  const Trial last = *storage.load_trial(60).value();
  EXPECT_EQ(last.rationale.origin, Origin::resampled);
  EXPECT_NE(last.rationale.repeat_of, 0);
  EXPECT_GT(last.rationale.repeat, 1);
}

TEST_P(ResampledStudy, OneEvaluationTellsThatThereIsNone) {
  MemoryStorage storage;
  Study study = open_there(storage, six_points(GetParam()));
  std::size_t asked = 0;
  for (std::vector<Trial> trials = study.ask(4).value(); !trials.empty();
       trials = study.ask(4).value()) {
    asked += trials.size();
    for (const Trial& trial : trials) {
      const double value = value_of(trial, 0.0) + 0.01 * (trial.point == Point{std::int64_t{1}});
      study.tell(trial.id, value + 0.001 * (trial.point == Point{std::int64_t{0}})).value();
    }
  }
  EXPECT_EQ(asked, 7U);
  EXPECT_EQ(storage.load_trial(7).value()->point, Point{std::int64_t{2}});
}

std::vector<Point> points_when_killed(const std::string& method, const std::set<TrialId>& kills) {
  MemoryStorage storage;
  const StudyOptions options = six_points(method);
  Study study = open_there(storage, options);
  for (TrialId id = 1; id <= 40; ++id) {
    const Trial trial = study.ask(1).value().front();
    EXPECT_EQ(trial.id, id);
    if (id == 20) study.drop({id}, "spilled").value();
    if (id != 20) study.tell(id, value_of(trial, 0.3)).value();
    if (!kills.contains(id)) continue;
    kill_study(std::move(study), storage);
    study = open_there(storage, options);
    EXPECT_EQ(study.warning(), "") << "killed after trial " << id;
  }
  EXPECT_THAT(verify_study(storage).value().problems, IsEmpty());
  return points_of(storage.load_trials(1, -1).value());
}

TEST_P(ResampledStudy, ResumesExactly) {
  EXPECT_EQ(points_when_killed(GetParam(), {6, 7, 15, 20, 33}), points_when_killed(GetParam(), {}));
}

INSTANTIATE_TEST_SUITE_P(Methods, ResampledStudy,
                         ::testing::Values("random", "vbo", "gp-logei", "cmaes"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace vbo

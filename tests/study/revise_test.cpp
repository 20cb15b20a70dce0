// SPDX-License-Identifier: MIT
// Every registered method, with results brought in, points given, results replaced, other settings
// than suggested, suggestions dropped and failures retried: a study that is resumed after any of
// these goes on bit for bit as one that was never interrupted, by its snapshot and by replaying
// all.
#include <gtest/gtest.h>

#include "optim/conformance.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

class RevisedStudy : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, RevisedStudy, ::testing::ValuesIn(testing::method_names()),
                         testing::test_name);

StudyOptions options_for(const std::string& method, std::uint64_t seed) {
  StudyOptions options;
  options.space = testing::mixed_space();
  options.budget = 1000;
  options.optimizer = testing::quick_options(method);
  options.objectives = options.optimizer.objectives;
  if (options.objectives.empty()) options.objectives = {{.goal = Goal::maximize}};
  options.optimizer.seed = seed;
  options.start = {{Value(0.3), std::nullopt, std::nullopt, std::nullopt},
                   {Value(0.5), Value(2.0), Value(std::int64_t{7}), Value(std::string("b"))}};
  return options;
}

// Values of the smooth function, with another optimum for a second objective.
Outcome measured(const StudyOptions& options, const Point& point) {
  Outcome outcome = Outcome::of(testing::smooth(options.space, point));
  if (options.objectives.size() == 2) {
    outcome.values.push_back(testing::smooth(options.space, point, 0.6));
  }
  return outcome;
}

Point moved(const Space& space, Point point) {
  point[0] = 0.5 * (std::get<double>(point[0]) + space[0].low);
  return point;
}

// One move of people and their study, by the same dice for every study it is played on.
void move(Study& study, const StudyOptions& options, Rng rng) {
  const Space& space = options.space;
  const auto of = [](const Trial& trial, Outcome outcome) {
    outcome.id = trial.id;
    return outcome;
  };
  const std::vector<Trial> trials = study.trials().value();
  std::vector<Trial> open, done, bad;
  for (const Trial& trial : trials) {
    (!trial.values.empty() ? done : trial.failure ? bad : open).push_back(trial);
  }
  const auto pick = [&](const std::vector<Trial>& from) { return from[rng.below(from.size())]; };
  const double dice = rng.uniform();
  if (open.empty() || (open.size() < 8 && dice < 0.3)) {
    ASSERT_TRUE(study.ask(1 + static_cast<std::int64_t>(rng.below(4))));
  } else if (dice < 0.6) {
    const Trial trial = pick(open);
    if (rng.uniform() < 0.2) {
      ASSERT_TRUE(study.tell_failure(trial.id, {FailureCause::crash, "crashed"}));
    } else {
      ASSERT_TRUE(study.tell(of(trial, measured(options, trial.point))));
    }
  } else if (dice < 0.7) {
    const Trial trial = pick(open);
    ASSERT_TRUE(study.tell(of(trial, measured(options, trial.point)), moved(space, trial.point)));
  } else if (dice < 0.8 && !done.empty()) {
    const Trial trial = pick(done);
    Outcome outcome;
    for (const double value : trial.values) outcome.values.push_back(value + rng.uniform() - 1.0);
    outcome.id = trial.id;
    ASSERT_TRUE(study.replace(outcome, "typo"));
  } else if (dice < 0.85 && !done.empty()) {
    const Trial trial = pick(done);
    Outcome outcome;
    outcome.values = trial.values;
    outcome.id = trial.id;
    ASSERT_TRUE(study.replace(outcome, "really set", moved(space, trial.point)));
  } else if (dice < 0.92) {
    const Result<void> dropped = study.drop({pick(open).id}, "no material");
    // One that is retried cannot be taken back; in every study alike.
    if (!dropped) {
      ASSERT_EQ(dropped.error().kind, ErrorKind::conflict);
    }
  } else if (dice < 0.96 && !bad.empty()) {
    ASSERT_TRUE(study.retry({pick(bad).id}, "again"));
  } else {
    const Point point = moved(space, trials.back().point);
    ASSERT_TRUE(study.add({{point, measured(options, point)}}));
  }
}

std::vector<Trial> next(Study& study) { return study.ask(5).value(); }

TEST_P(RevisedStudy, IsResumedExactly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("study " + std::to_string(seed));
    const StudyOptions options = options_for(GetParam(), seed);
    MemoryStorage one, other;
    const auto open = [&](MemoryStorage& storage) {
      return Study::open(options, {std::make_unique<MemoryStorage>(storage), {}}).value();
    };
    Study uninterrupted = open(one);
    Study interrupted = open(other);
    Rng dice(seed, GetParam());
    for (int i = 0; i < 40; ++i) {
      const Rng same = dice;
      move(uninterrupted, options, same);
      move(interrupted, options, same);
      dice();
      if (::testing::Test::HasFatalFailure()) return;
      if (i % 9 == 4) {
        interrupted = open(other);  // closes the one before: it saves a snapshot
      } else if (i % 9 == 8) {
        ASSERT_TRUE(interrupted.close());
        other.save_snapshot({}).value();  // everything is replayed
        interrupted = open(other);
      }
      ASSERT_EQ(interrupted.warning(), "");
    }
    const std::vector<Trial> a = next(uninterrupted), b = next(interrupted);
    EXPECT_EQ(testing::points_of(a), testing::points_of(b));
    EXPECT_EQ(testing::points_of(uninterrupted.trials().value()),
              testing::points_of(interrupted.trials().value()));
    ASSERT_TRUE(uninterrupted.close());
    ASSERT_TRUE(interrupted.close());
    EXPECT_EQ(one.load_snapshot().value()->bytes, other.load_snapshot().value()->bytes);
    EXPECT_EQ(one.load_revisions(false).value().size(), other.load_revisions(false).value().size());
    EXPECT_GT(one.load_revisions(false).value().size(), 0U);
  }
}

// Imported results change what is suggested, as the method's own do, and are replayed exactly. Two
// methods do not learn from anything.
TEST_P(RevisedStudy, LearnsFromImportedResults) {
  StudyOptions options = options_for(GetParam(), 1);
  options.start.clear();
  std::vector<Evaluated> past;
  Rng rng(7, "past");
  for (int i = 0; i < 24; ++i) {
    const Point point = {0.1 + 0.6 * rng.uniform(), 1e-3 + 6.9 * rng.uniform(),
                         1 + static_cast<std::int64_t>(rng.below(12)),
                         std::string(rng.uniform() < 0.5 ? "a" : "b")};
    past.push_back({point, measured(options, point)});
  }
  const auto suggestions = [&](bool with_past, bool again) {
    MemoryStorage storage;
    const auto open = [&] {
      return Study::open(options, {std::make_unique<MemoryStorage>(storage), {}}).value();
    };
    Study study = open();
    std::vector<Point> points;
    if (with_past) study.add(past).value();
    for (int round = 0; round < 2; ++round) {
      if (again) {
        EXPECT_TRUE(study.close());
        if (round == 0) storage.save_snapshot({}).value();
        study = open();
        EXPECT_EQ(study.warning(), "");
      }
      for (const Trial& trial : study.ask(4).value()) {
        points.push_back(trial.point);
        Outcome outcome = measured(options, trial.point);
        outcome.id = trial.id;
        study.tell(outcome).value();
      }
    }
    return points;
  };
  const std::vector<Point> informed = suggestions(true, false);
  EXPECT_EQ(informed, suggestions(true, true));
  // Ids differ, so that even a method that learns nothing suggests other points; what it learned
  // shows in the outcomes.
  const bool learns =
      testing::method_of(GetParam()) != "random" && testing::method_of(GetParam()) != "sobol";
  const auto best_of = [&](const std::vector<Point>& points) {
    double best = -1e9;
    for (const Point& point : points) best = std::max(best, testing::smooth(options.space, point));
    return best;
  };
  EXPECT_TRUE(!learns || informed != suggestions(false, false)) << best_of(informed);
}

TEST(RevisedStudy, ARetryIsOneEvaluation) {
  const StudyOptions options = options_for("random", 1);
  MemoryStorage storage;
  Study study = Study::open(options, {std::make_unique<MemoryStorage>(storage), {}}).value();
  const TrialId id = study.ask(1).value().front().id;
  ASSERT_TRUE(study.tell_failure(id, {FailureCause::crash, "crashed"}));
  EXPECT_EQ(study.retry({id + 1}).error().kind, ErrorKind::not_found);
  ASSERT_TRUE(study.retry({id}));
  EXPECT_EQ(study.counts().value().failed, 0);
  ASSERT_TRUE(study.tell(id, 2.0));
  EXPECT_EQ(study.counts().value().completed, 1);
  EXPECT_EQ(study.tell(id, 3.0).error().kind, ErrorKind::conflict);
}

TEST(RevisedStudy, StartPointsComeFirstAndInOrder) {
  StudyOptions options = options_for("gp-logei", 1);
  MemoryStorage storage;
  const auto open = [&] {
    return Study::open(options, {std::make_unique<MemoryStorage>(storage), {}});
  };
  {
    Study study = open().value();
    const std::vector<Trial> first = study.ask(1).value();
    EXPECT_EQ(first[0].point[0], Value(0.3));
    EXPECT_EQ(first[0].rationale.source, "start");
  }
  StudyOptions changed = options;
  options.start[0][0] = 0.4;
  EXPECT_EQ(open().error().kind, ErrorKind::conflict);
  options = changed;
  options.start.push_back({std::nullopt, Value(3.0), std::nullopt, std::nullopt});
  Study study = open().value();
  const std::vector<Trial> rest = study.ask(3).value();
  EXPECT_EQ(rest[0].point[2], Value(std::int64_t{7}));
  EXPECT_EQ(rest[1].point[1], Value(3.0));
  EXPECT_NE(rest[2].rationale.source, "start");

  options.start.push_back({Value(0.9), std::nullopt, std::nullopt, std::nullopt});
  EXPECT_EQ(open().error().field, "start.4.x");
}

TEST(RevisedStudy, StartPointsKeepTheConstraints) {
  StudyOptions options;
  options.space = Space::make({Parameter::real("a", 0, 1), Parameter::real("b", 0, 1),
                               Parameter::real("c", 0, 1)},
                              {"a + b + c = 1"})
                      .value();
  options.optimizer = {.method = "random", .seed = 3};
  options.start = {{Value(0.75), std::nullopt, std::nullopt}};
  Study study = Study::open(options).value();
  const Point point = study.ask(1).value().front().point;
  EXPECT_EQ(point[0], Value(0.75));
  EXPECT_TRUE(options.space.check(point));
  options.start = {{Value(0.75), Value(0.5), std::nullopt}};
  EXPECT_EQ(Study::open(options).error().field, "start.1");
}

// A mistyped value that looked best must not hold the search for ever.
TEST(RevisedStudy, RecoversFromAMistypedBest) {
  for (const std::string method : {"vbo", "gp-logei", "cmaes", "turbo"}) {
    StudyOptions options;
    options.space = Space::make({Parameter::real("x", -1, 1), Parameter::real("y", -1, 1)}).value();
    options.budget = 400;
    options.optimizer = testing::quick_options(method);
    options.optimizer.budget = 400;
    options.optimizer.batch = 8;
    const auto f = [](const Point& p) {
      const double x = std::get<double>(p[0]) - 0.3, y = std::get<double>(p[1]) + 0.2;
      return x * x + y * y;
    };
    Study study = Study::open(options).value();
    TrialId wrong = 0;
    for (int round = 0; round < 24; ++round) {
      for (const Trial& trial : study.ask(8).value()) {
        const bool mistyped = trial.id == 20;
        if (mistyped) wrong = trial.id;
        study.tell(trial.id, mistyped ? -1000.0 : f(trial.point)).value();
      }
      if (round == 6) {
        const Point point = study.trials().value()[static_cast<std::size_t>(wrong - 1)].point;
        Outcome outcome = Outcome::of(f(point));
        outcome.id = wrong;
        ASSERT_TRUE(study.replace(outcome, "typo"));
      }
    }
    EXPECT_LT(*study.best().value()->value(), 0.01) << method;
  }
}

}  // namespace
}  // namespace vbo

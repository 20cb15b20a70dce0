// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "study/support.hpp"
#include "support/temporary_folder.hpp"
#include "vbo/vbo.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::open_on;
using testing::small_study;

// Remembers what it was told.
class Recorder final : public Optimizer {
 public:
  explicit Recorder(std::vector<Trial>& told) : told_(told) {}
  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    return std::vector<Suggestion>(ids.size(), {{0.5, std::int64_t{3}}, {"same", 0.0, {}}});
  }
  void tell(std::span<const Trial> finished) override {
    told_.insert(told_.end(), finished.begin(), finished.end());
  }
  std::int64_t round() const override { return 1; }
  AskReport report() const override {
    AskReport report;
    report.round = 1;
    report.information = RoundInformation{.predicted = 0.5, .observed = {}, .ceiling = {}};
    report.recommendation = Recommendation{1, 2.5, 0.0};
    return report;
  }

 private:
  std::vector<Trial>& told_;
};

Result<Study> open_recorder(const MemoryStorage& storage, Goal goal, std::vector<Trial>& told) {
  StudyOptions options = small_study();
  options.objectives = {{.goal = goal}};
  return Study::open(
      options,
      {std::make_unique<MemoryStorage>(storage), [&](const Space&, const OptimizerOptions&) {
         return Result<std::unique_ptr<Optimizer>>(std::make_unique<Recorder>(told));
       }});
}

TEST(AskTell, NumbersTrialsAndEvents) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  const auto first = study.ask(2).value();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].id, 1);
  EXPECT_EQ(first[1].id, 2);
  EXPECT_EQ(first[0].asked_in, 1);
  EXPECT_EQ(first[1].asked_in, 1);
  ASSERT_TRUE(study.tell(2, 0.5));
  EXPECT_EQ(study.ask(1).value()[0].asked_in, 3);
  const auto stored = storage.load_trials(1, -1).value();
  ASSERT_EQ(stored.size(), 3U);
  EXPECT_EQ(stored[1].state, TrialState::completed);
  EXPECT_EQ(stored[1].told_in, 2);
  EXPECT_EQ(stored[2].state, TrialState::waiting);
}

TEST(AskTell, OnlyTheOptimizerSeesTheOtherSign) {
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    const double sign = goal == Goal::minimize ? -1.0 : 1.0;
    MemoryStorage storage;
    std::vector<Trial> told;
    Study study = open_recorder(storage, goal, told).value();
    ASSERT_TRUE(study.ask(2));
    ASSERT_TRUE(study.tell(1, 3.0));
    ASSERT_TRUE(study.tell(2, -4.0));
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].value(), sign * 3.0);
    EXPECT_EQ(storage.load_trial(1).value()->value(), 3.0);
    EXPECT_EQ(study.best().value()->id, goal == Goal::minimize ? 2 : 1);
    EXPECT_EQ(study.report().recommendation->mean, sign * 2.5);
    EXPECT_EQ(storage.load_reports(-1).value()[0].report.recommendation->mean, sign * 2.5);
  }
}

TEST(AskTell, FailuresAreToldToo) {
  MemoryStorage storage;
  std::vector<Trial> told;
  Study study = open_recorder(storage, Goal::minimize, told).value();
  ASSERT_TRUE(study.ask(3));
  ASSERT_TRUE(study.tell_failure(1, {FailureCause::reported, "broke the glass"}));
  ASSERT_TRUE(study.tell(2, std::numeric_limits<double>::quiet_NaN()));
  ASSERT_TRUE(study.tell(3, -std::numeric_limits<double>::infinity()));
  ASSERT_EQ(told.size(), 3U);
  for (const Trial& trial : told) {
    EXPECT_EQ(trial.state, TrialState::failed);
    EXPECT_FALSE(trial.value());
  }
  EXPECT_EQ(told[0].failure->message, "broke the glass");
  EXPECT_EQ(told[1].failure->cause, FailureCause::non_finite);
  EXPECT_EQ(storage.load_trial(3).value()->failure->cause, FailureCause::non_finite);
  EXPECT_EQ(study.counts().value().failed, 3);
  EXPECT_EQ(study.best().value(), std::nullopt);
}

TEST(AskTell, TellingTwiceOrSomethingUnknownIsExplained) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  ASSERT_TRUE(study.ask(2));
  ASSERT_TRUE(study.tell(1, 0.25));
  const auto twice = study.tell(1, 0.5);
  EXPECT_EQ(twice.error().kind, ErrorKind::conflict);
  EXPECT_THAT(twice.error().message, HasSubstr("trial 1 has already ended: completed, value 0.25"));
  const auto unknown = study.tell_failure(7, {});
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().message, HasSubstr("from 1 to 2"));
  EXPECT_EQ(study.ask(0).error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(storage.load_trial(1).value()->value(), 0.25);
}

TEST(AskTell, NothingWorksAfterClose) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  ASSERT_TRUE(study.ask(1));
  ASSERT_TRUE(study.close());
  ASSERT_TRUE(study.close());
  EXPECT_EQ(study.ask(1).error().message, "the study is closed");
  EXPECT_FALSE(study.tell(1, 0.0));
  EXPECT_FALSE(study.best());
  EXPECT_FALSE(study.counts());
  EXPECT_FALSE(study.trials());
}

TEST(AskTell, WrongOptionsLeaveNothingBehind) {
  const testing::TemporaryFolder folder;
  const auto message = [&](auto change) {
    StudyOptions options = small_study();
    options.optimizer.method = "random";
    options.storage = folder / "study.db";
    change(options);
    const auto study = Study::open(options);
    return study ? std::string("no error") : study.error().message;
  };
  EXPECT_THAT(message([](StudyOptions& o) { o.budget = 0; }), HasSubstr("budget is 0"));
  EXPECT_THAT(message([](StudyOptions& o) { o.optimizer.batch = 0; }), HasSubstr("batch is 0"));
  EXPECT_THAT(message([](StudyOptions& o) { o.space = {}; }), HasSubstr("no parameters"));
  EXPECT_THAT(message([](StudyOptions& o) { o.optimizer.method = "randon"; }),
              HasSubstr("did you mean"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(Study::open_existing(folder / "study.db").error().kind, ErrorKind::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(AskTell, AFiniteSpaceIsWalkedOnce) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.space = Space::make({Parameter::integer("n", -2, 2), Parameter::real("fixed", 7, 7),
                               Parameter::categorical("c", {"a", "b", "c"})})
                      .value();
  std::vector<Point> points;
  {
    Study study = open_on(storage, options).value();
    for (const Trial& trial : study.ask(7).value()) points.push_back(trial.point);
  }
  Study study = open_on(storage, options).value();
  EXPECT_EQ(study.warning(), "");
  for (const Trial& trial : study.ask(20).value()) points.push_back(trial.point);
  EXPECT_EQ(points.size(), 15U);
  std::sort(points.begin(), points.end());
  EXPECT_EQ(std::unique(points.begin(), points.end()), points.end());
  EXPECT_TRUE(study.ask(1).value().empty());
}

TEST(AskTell, AMethodThatLeavesTheSpaceIsCaught) {
  StudyOptions options = small_study();
  options.space = Space::make({Parameter::real("x", 2, 3), Parameter::integer("n", 1, 9)}).value();
  std::vector<Trial> told;
  MemoryStorage storage;
  Study study = Study::open(options, {std::make_unique<MemoryStorage>(storage),
                                      [&](const Space&, const OptimizerOptions&) {
                                        return Result<std::unique_ptr<Optimizer>>(
                                            std::make_unique<Recorder>(told));
                                      }})
                    .value();
  EXPECT_THAT(study.ask(1).error().message, HasSubstr("left the space"));
  EXPECT_TRUE(storage.load_trials(1, -1).value().empty());
}

// A constraint may name choices, also as a condition, that a start point does not have.
TEST(AskTell, StartPointsMayHaveOtherChoicesThanAConstraintNames) {
  const Space space =
      Space::make({Parameter::categorical("base", {Value("water"), Value("acetone")}),
                   Parameter::categorical("closed", {Value(true), Value(false)}),
                   Parameter::ordinal("size", {Value(1.0), Value(2.0), Value(4.0)}),
                   Parameter::real("t", 0.0, 1.0)},
                  {"base != 'acetone' or t <= 0.5", "closed or size * t <= 1"})
          .value();
  const auto begin = [&](PartialPoint start) {
    StudyOptions options = small_study();
    options.space = space;
    options.optimizer.method = "random";
    options.start = {std::move(start)};
    return Study::open(options);
  };
  const PartialPoint inside = {Value("water"), Value(true), Value(4.0), Value(0.9)};
  Study whole = begin(inside).value();
  EXPECT_EQ(whole.ask(1).value().front().point, (Point{"water", true, 4.0, 0.9}));
  Study partial = begin({Value("acetone"), Value(false), Value(4.0), {}}).value();
  const Point completed = partial.ask(1).value().front().point;
  EXPECT_EQ(completed[2], Value(4.0));
  EXPECT_LE(std::get<double>(completed[3]), 0.25);
  for (const PartialPoint& outside :
       {PartialPoint{Value("acetone"), Value(true), Value(1.0), Value(0.9)},
        PartialPoint{Value("water"), Value(false), Value(4.0), Value(0.9)}}) {
    const auto refused = begin(outside);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("no values of the other parameters"), std::string::npos);
  }
}

}  // namespace
}  // namespace vbo

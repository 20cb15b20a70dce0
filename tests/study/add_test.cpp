// SPDX-License-Identifier: MIT
// Results of points nobody suggested, and several results told at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/support.hpp"
#include "support/temporary_folder.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;
using testing::kill_study;
using testing::open_on;
using testing::points_of;
using testing::ScriptedOptions;
using testing::small_study;

Evaluated evaluated(double x, std::int64_t n) {
  return {.point = {x, n}, .outcome = {.values = {x * x + static_cast<double>(n)}}};
}

TEST(Add, MakesEndedTrialsOfOneEvent) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  ASSERT_TRUE(study.ask(2));
  Evaluated broken = evaluated(0.25, 7);
  broken.outcome.values.clear();
  broken.outcome.failure = Failure{FailureCause::reported, "the glass broke"};
  const auto added = study.add({evaluated(0.5, 3), broken}).value();
  ASSERT_EQ(added.size(), 2U);
  const Trial first = storage.load_trial(3).value().value();
  EXPECT_EQ(first.state, TrialState::completed);
  EXPECT_EQ(first.value(), 3.25);
  EXPECT_EQ(first.point, (Point{0.5, std::int64_t{3}}));
  EXPECT_EQ(first.rationale.source, "added");
  EXPECT_EQ(first.asked_in, 2);
  EXPECT_EQ(first.told_in, 2);
  EXPECT_EQ(storage.load_trial(4).value()->failure->message, "the glass broke");
  EXPECT_EQ(study.counts().value().waiting, 2);
  EXPECT_EQ(study.ask(1).value()[0].id, 5);
  EXPECT_EQ(study.ask(1).value()[0].asked_in, 4);
  EXPECT_EQ(study.best().value()->id, 3);
}

TEST(Add, IsAllOrNothing) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  const auto outside = study.add({evaluated(0.5, 3), evaluated(1.5, 3)});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(outside.error().message, HasSubstr("x"));
  EXPECT_TRUE(study.trials().value().empty());
  EXPECT_TRUE(study.add({}).value().empty());
  EXPECT_EQ(study.ask(1).value()[0].asked_in, 1);  // neither was an event
}

TEST(Add, AFiniteSpaceKnowsThePoint) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.space = Space::make({Parameter::integer("n", 1, 3)}).value();
  Study study = open_on(storage, options).value();
  ASSERT_TRUE(study.add({{.point = {std::int64_t{2}}, .outcome = {.values = {1.0}}}}));
  const auto rest = study.ask(3).value();
  ASSERT_EQ(rest.size(), 2U);
  for (const Trial& trial : rest) EXPECT_NE(trial.point, Point{std::int64_t{2}});
}

class AddedResume : public ::testing::TestWithParam<bool> {};

// The scripted method's suggestions depend on what it was told, and together with what.
std::vector<Trial> walk(ScriptedOptions scripted, bool interrupted) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study(), scripted).value();
  const auto pause = [&] {
    if (!interrupted) return;
    kill_study(std::move(study), storage);
    study = open_on(storage, small_study(), scripted).value();
    EXPECT_EQ(study.warning(), "");
  };
  for (int i = 0; i < 6; ++i) {
    const auto asked = study.ask(2).value();
    pause();
    EXPECT_TRUE(study.add({evaluated(0.1 * i, i + 1), evaluated(-0.1 * i, i + 1)}));
    pause();
    EXPECT_TRUE(study.tell({{.id = asked[1].id, .values = {0.5 * i}},
                            {.id = asked[0].id, .failure = Failure{FailureCause::crash, "gone"}}}));
    pause();
  }
  return storage.load_trials(1, -1).value();
}

TEST_P(AddedResume, IsExact) {
  const ScriptedOptions scripted{.snapshots = GetParam()};
  const auto whole = walk(scripted, false);
  ASSERT_EQ(whole.size(), 24U);
  EXPECT_EQ(points_of(whole), points_of(walk(scripted, true)));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSnapshots, AddedResume, ::testing::Bool());

TEST(TellSeveral, IsOneTellOrNone) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  ASSERT_TRUE(study.ask(3));
  EXPECT_EQ(study.tell({{.id = 1, .values = {1.0}}, {.id = 9, .values = {2.0}}}).error().kind,
            ErrorKind::not_found);
  EXPECT_EQ(study.tell({{.id = 1, .values = {1.0}}, {.id = 1, .values = {2.0}}}).error().kind,
            ErrorKind::conflict);
  EXPECT_EQ(study.counts().value().waiting, 3);
  ASSERT_TRUE(study.tell({{.id = 3, .values = {1.0}}, {.id = 1, .values = {std::nan("")}}}));
  EXPECT_EQ(storage.load_trial(1).value()->told_in, storage.load_trial(3).value()->told_in);
  EXPECT_EQ(storage.load_trial(1).value()->failure->cause, FailureCause::non_finite);
  EXPECT_EQ(study.ask(1).value()[0].asked_in, 3);
}

// How often a method is built for one run.
TEST(Open, BuildsTheMethodOnce) {
  const testing::TemporaryFolder folder;
  int built = 0;
  const auto open = [&](std::int64_t budget) {
    StudyOptions options = small_study();
    options.storage = folder / "study.db";
    options.budget = budget;
    StudyParts parts = testing::scripted();
    parts.make_optimizer = [&, make = parts.make_optimizer](const Space& space,
                                                            const OptimizerOptions& common) {
      ++built;
      return make(space, common);
    };
    return Study::open(options, std::move(parts));
  };
  {
    Study study = open(40).value();
    EXPECT_EQ(built, 1);
    ASSERT_TRUE(study.ask(2));
  }
  EXPECT_TRUE(open(50));
  EXPECT_EQ(built, 2);
}

}  // namespace
}  // namespace vbo

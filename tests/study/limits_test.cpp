// SPDX-License-Identifier: MIT
// A study with measured constraints: its best result, what is stored, reported and resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.hpp"
#include "study/support.hpp"

namespace vbo {
namespace {

using testing::open_on;
using testing::small_study;

StudyOptions limited_study() {
  StudyOptions options = small_study();
  const std::span<const Parameter> parameters = options.space.parameters();
  options.space =
      Space::make({parameters.begin(), parameters.end()}, {}, {{"stress", 250.0, {}}}).value();
  return options;
}

TEST(StudyLimits, BestIsTheBestFeasibleResult) {
  MemoryStorage storage;
  Study study = open_on(storage, limited_study()).value();
  ASSERT_FALSE(study.best().value());
  const std::vector<Trial> trials = study.ask(5).value();
  const auto tell = [&](std::size_t i, double value, double stress) {
    study.tell(Outcome{.id = trials[i].id, .values = {value}, .metrics = {{"stress", stress}}})
        .value();
    return study.best().value().value().id;
  };
  EXPECT_EQ(tell(0, 1.0, 300.0), trials[0].id);   // the least violating while nothing is feasible
  EXPECT_EQ(tell(1, -9.0, 400.0), trials[0].id);  // more violating, better value
  EXPECT_EQ(tell(2, 50.0, 260.0), trials[2].id);
  EXPECT_EQ(tell(3, 90.0, 250.0), trials[3].id);  // feasible, whatever its value
  EXPECT_EQ(tell(4, 80.0, 10.0), trials[4].id);
  EXPECT_EQ(study.best().value()->metrics.at("stress"), 10.0);
}

TEST(StudyLimits, AMissingMetricIsAFailureThatSaysSo) {
  MemoryStorage storage;
  Study study = open_on(storage, limited_study()).value();
  const TrialId id = study.ask(1).value().front().id;
  study.tell(id, 1.0).value();
  const Trial told = storage.load_trial(id).value().value();
  EXPECT_EQ(told.state, TrialState::failed);
  EXPECT_THAT(told.failure->message, ::testing::HasSubstr("\"stress\" is missing"));
  const Trial added = study.add({{told.point, {.values = {1.0}}}}).value().front();
  EXPECT_EQ(added.state, TrialState::failed);
}

TEST(StudyLimits, BelongToTheStudy) {
  MemoryStorage storage;
  { const Study study = open_on(storage, limited_study()).value(); }
  EXPECT_TRUE(open_on(storage, limited_study()));
  const auto other = open_on(storage, small_study());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, ::testing::HasSubstr("limits: stored"));
  EXPECT_THAT(other.error().message, ::testing::HasSubstr("stress"));
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// Studies with several objectives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/support.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::open_on;
using testing::small_study;

StudyOptions two_objectives() {
  StudyOptions options = small_study();
  options.objectives = {{"error", Goal::minimize, 2.0}, {"speed", Goal::maximize, -3.0}};
  return options;
}

// An optimizer that keeps what it is made with and told.
struct TwoValueLog {
  OptimizerOptions options;
  std::vector<Trial> told;
};

class TwoValueMethod : public Optimizer {
 public:
  explicit TwoValueMethod(TwoValueLog& seen) : seen_(seen) {}
  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    std::vector<Suggestion> all;
    for (const TrialId id : ids) {
      all.push_back({{1.0 / static_cast<double>(id), id}, {.source = "recorder"}});
    }
    return all;
  }
  void tell(std::span<const Trial> finished) override {
    seen_.told.insert(seen_.told.end(), finished.begin(), finished.end());
  }

 private:
  TwoValueLog& seen_;
};

Result<Study> recorded(const MemoryStorage& storage, StudyOptions options, TwoValueLog& seen) {
  StudyParts parts{.storage = std::make_unique<MemoryStorage>(storage)};
  parts.make_optimizer = [&seen](const Space&, const OptimizerOptions& given) {
    seen.options = given;
    return Result<std::unique_ptr<Optimizer>>(std::make_unique<TwoValueMethod>(seen));
  };
  return Study::open(std::move(options), std::move(parts));
}

TEST(Objectives, AMethodMaximizesThemAll) {
  MemoryStorage storage;
  TwoValueLog seen;
  Study study = recorded(storage, two_objectives(), seen).value();
  EXPECT_THAT(seen.options.objectives, ElementsAre(Objective{"error", Goal::maximize, -2.0},
                                                   Objective{"speed", Goal::maximize, -3.0}));
  const TrialId id = study.ask(1).value().front().id;
  ASSERT_TRUE(study.tell(Outcome{.id = id, .values = {0.5, 7.0}}));
  ASSERT_EQ(seen.told.size(), 1U);
  EXPECT_THAT(seen.told.front().values, ElementsAre(-0.5, 7.0));
  EXPECT_THAT(study.trials().value().front().values, ElementsAre(0.5, 7.0));
}

TEST(Objectives, OneObjectiveIsToldAsBefore) {
  MemoryStorage storage;
  TwoValueLog seen;
  ASSERT_TRUE(recorded(storage, small_study(), seen));
  EXPECT_THAT(seen.options.objectives, IsEmpty());
}

TEST(Objectives, AFrontInsteadOfABestResult) {
  MemoryStorage storage;
  TwoValueLog seen;
  Study study = recorded(storage, two_objectives(), seen).value();
  const std::vector<Trial> asked = study.ask(3).value();
  ASSERT_TRUE(study.tell(Outcome{.id = asked[0].id, .values = {0.0, 1.0}}));
  ASSERT_TRUE(study.tell(Outcome{.id = asked[1].id, .values = {1.0, 2.0}}));
  ASSERT_TRUE(study.tell(Outcome{.id = asked[2].id, .values = {1.0, 0.0}}));
  const Front front = study.front().value();
  EXPECT_EQ(front.trials.size(), 2U);
  EXPECT_THAT(front.reference, ElementsAre(2.0, -3.0));
  EXPECT_DOUBLE_EQ(front.hypervolume, 2.0 * 4.0 + 1.0 * 1.0);
  EXPECT_THAT(study.best().error().message, HasSubstr("2 objectives"));
  EXPECT_EQ(study.best({{"speed", 1.0}}).value()->id, asked[1].id);
  EXPECT_EQ(study.best({{"error", 3.0}, {"speed", 1.0}}).value()->id, asked[0].id);
  EXPECT_THAT(study.best({{"spede", 1.0}}).error().message, HasSubstr("did you mean \"speed\"?"));
}

TEST(Objectives, EveryResultHasAllValues) {
  MemoryStorage storage;
  TwoValueLog seen;
  Study study = recorded(storage, two_objectives(), seen).value();
  const std::vector<Trial> asked = study.ask(2).value();
  ASSERT_TRUE(study.tell(asked[0].id, 1.0));
  const Trial one = study.trials().value()[0];
  EXPECT_EQ(one.state, TrialState::failed);
  EXPECT_EQ(one.failure->message, "found 1 values, expected 2, one per objective");
}

TEST(Objectives, CannotChange) {
  MemoryStorage storage;
  TwoValueLog seen;
  ASSERT_TRUE(recorded(storage, two_objectives(), seen));
  ASSERT_TRUE(recorded(storage, two_objectives(), seen));
  StudyOptions other = two_objectives();
  other.objectives[1].goal = Goal::minimize;
  const auto goal = recorded(storage, other, seen);
  EXPECT_EQ(goal.error().kind, ErrorKind::conflict);
  EXPECT_THAT(goal.error().message,
              HasSubstr("objective speed goal: stored \"maximize\", given \"minimize\""));
  other = two_objectives();
  other.objectives.pop_back();
  EXPECT_THAT(recorded(storage, other, seen).error().message, HasSubstr("objective speed: stored"));
  other = two_objectives();
  std::swap(other.objectives[0], other.objectives[1]);
  EXPECT_THAT(recorded(storage, other, seen).error().message,
              HasSubstr("objectives: the same in another order"));
  other = two_objectives();
  other.objectives[0].reference.reset();
  EXPECT_THAT(recorded(storage, other, seen).error().message,
              HasSubstr("objective error reference: stored 2.0, given nothing"));
}

TEST(Objectives, AreCheckedWhenTheStudyIsMade) {
  const auto message = [](std::vector<Objective> objectives) {
    MemoryStorage storage;
    TwoValueLog seen;
    StudyOptions options = small_study();
    options.objectives = std::move(objectives);
    return recorded(storage, options, seen).error().message;
  };
  EXPECT_THAT(message({{"a"}, {"a"}}), HasSubstr("objective 2: name"));
  EXPECT_THAT(message({{"a"}, {"x"}}), HasSubstr("\"x\" is the name of an objective and of a"));
  EXPECT_THAT(message({{"a"}, {"b=c"}}), HasSubstr("without = , and"));
  EXPECT_THAT(message(std::vector<Objective>(9)), HasSubstr("found 9 objectives"));
  EXPECT_THAT(message({{"a"}, {"b", Goal::minimize, INFINITY}}), HasSubstr("a finite number"));
}

TEST(Objectives, NoValueToStopAt) {
  MemoryStorage storage;
  TwoValueLog seen;
  Study study = recorded(storage, two_objectives(), seen).value();
  EXPECT_EQ(study.coordinate({.stop = {.value = 1.0}}).error().field, "stop.value");
}

}  // namespace
}  // namespace vbo

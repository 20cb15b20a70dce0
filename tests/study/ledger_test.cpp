// SPDX-License-Identifier: MIT
// What methods say reaches people in their own sign.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/users_sign.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/vbo.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;

constexpr TermInfo kPart{"part", Unit::objective, TermRole::adds_up, "of the score"};
constexpr TermInfo kRest{"rest", Unit::objective, TermRole::adds_up, "of the score"};
constexpr TermInfo kMean{"mean", Unit::objective, TermRole::beside, "expected"};
constexpr TermInfo kWidth{"width", Unit::spread, TermRole::beside, "of what is expected"};
constexpr TermInfo kNats{"nats", Unit::nats, TermRole::beside, "information"};

const Ledger& small_ledger() {
  static const Ledger ledger{{kPart, kRest, kMean, kWidth, kNats}, {kMean, kNats}};
  return ledger;
}

// Says the same of every point.
class Talker final : public Optimizer {
 public:
  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    Rationale why{.source = "talk", .acquisition = 5.0};
    why.add(kPart, 3.0);
    why.add(kRest, 2.0);
    why.add(kMean, 3.0);
    why.add(kWidth, 0.5);
    why.add(kNats, 0.25);
    return std::vector<Suggestion>(ids.size(), {{0.5}, why});
  }
  void tell(std::span<const Trial>) override {}
  std::int64_t round() const override { return 1; }
  AskReport report() const override {
    ++reports;
    AskReport report;
    report.round = 1;
    report.exploitation = 1.5;
    report.values = {kMean.of(3.0), kNats.of(0.25)};
    report.recommendation = Recommendation{1, 3.0, 0.5};
    return report;
  }
  const Ledger& ledger() const override { return small_ledger(); }

  static inline int reports = 0;
};

TEST(UsersSign, MinimizingNegatesValuesOfTheObjectiveAndNothingElse) {
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    const double sign = goal == Goal::minimize ? -1.0 : 1.0;
    MemoryStorage storage;
    StudyOptions options;
    options.space = Space::make({Parameter::real("x", 0, 1)}).value();
    options.objectives = {{.goal = goal}};
    Study study = Study::open(options, {std::make_unique<MemoryStorage>(storage),
                                        [](const Space&, const OptimizerOptions&) {
                                          return Result<std::unique_ptr<Optimizer>>(
                                              std::make_unique<Talker>());
                                        }})
                      .value();
    study.ask(1).value();
    const Rationale why = storage.load_trial(1).value()->rationale;
    EXPECT_EQ(why.acquisition, sign * 5.0);
    EXPECT_THAT(why.terms, ElementsAre(Term{"part", sign * 3.0}, Term{"rest", sign * 2.0}));
    EXPECT_THAT(why.notes,
                ElementsAre(Term{"mean", sign * 3.0}, Term{"width", 0.5}, Term{"nats", 0.25}));
    const AskReport report = storage.load_reports(-1).value().at(0).report;
    EXPECT_EQ(report.exploitation, 1.5);
    EXPECT_EQ(report.recommendation->mean, sign * 3.0);
    EXPECT_EQ(report.recommendation->deviation, 0.5);
    EXPECT_THAT(report.values, ElementsAre(Term{"mean", sign * 3.0}, Term{"nats", 0.25}));
  }
}

// A report may take a prediction; which round it is must not.
TEST(UsersSign, ReportsAreMadeOncePerRound) {
  Talker::reports = 0;
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0, 1)}).value();
  Study study =
      Study::open(options, {std::make_unique<MemoryStorage>(),
                            [](const Space&, const OptimizerOptions&) {
                              return Result<std::unique_ptr<Optimizer>>(std::make_unique<Talker>());
                            }})
          .value();
  for (TrialId id = 1; id <= 9; ++id) {
    study.ask(1).value();
    study.tell(id, 1.0).value();
  }
  EXPECT_EQ(Talker::reports, 1);
}

// A stored study may have begun with another method than the one auto would choose for it today.
TEST(Ledger, AutoSpeaksForAllItMayHaveChosen) {
  const Space space = Space::make({Parameter::real("x", 0, 1)}).value();
  for (const std::int64_t budget : {100, 10'000}) {
    const OptimizerOptions options{.method = "auto", .batch = 4, .budget = budget};
    const Ledger& ledger = ledger_of(space, options);
    for (const char* term : {"log_improvement", "information_model", "draw"}) {
      EXPECT_TRUE(ledger.find_term(term)) << term;
    }
    ASSERT_TRUE(ledger.find_term("exploitation"));
    EXPECT_EQ(ledger.find_term("exploitation")->unit, Unit::normal_score);
    const auto chosen = make_optimizer(space, options).value();
    EXPECT_EQ(chosen->ledger().find_term("log_improvement") != nullptr, budget == 100);
  }
  OptimizerOptions options{.method = "auto", .batch = 4, .budget = 100};
  options.settings["acquisition"] = std::string("ucb");
  EXPECT_EQ(ledger_of(space, options).find_term("exploitation")->unit, Unit::objective);
  EXPECT_TRUE(ledger_of(space, {.method = "unheard-of"}).terms.empty());
}

}  // namespace
}  // namespace vbo

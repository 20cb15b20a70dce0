// SPDX-License-Identifier: MIT
// What methods say reaches people in their own sign, and what earlier versions stored is still
// understood.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/users_sign.hpp"
#include "storage/memory/memory.hpp"
#include "support/temporary_folder.hpp"
#include "vbo/vbo.hpp"
#ifdef VBO_OLD_STUDIES
#include "storage/sqlite/database.hpp"
#endif

namespace vbo {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;

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

TEST(UsersSign, RationalesOfEarlierVersionsAreSorted) {
  // Means and deviations stood among the terms, in the sign that is maximized.
  const Rationale stored{"acquisition", -8.5, {{"mean", -10.0}, {"width", 0.5}}, {}};
  const Rationale minimized = in_present_form(Goal::minimize, small_ledger(), stored);
  EXPECT_EQ(minimized.acquisition, -8.5);
  EXPECT_TRUE(minimized.terms.empty());
  EXPECT_THAT(minimized.notes, ElementsAre(Term{"mean", 10.0}, Term{"width", 0.5}));
  EXPECT_EQ(in_present_form(Goal::maximize, small_ledger(), stored).notes[0].value, -10.0);
  // Numbers that add up to nothing are no score.
  const Rationale idle{"strategy", 0.0, {{"nats", 2.0}}, {}};
  EXPECT_FALSE(in_present_form(Goal::minimize, small_ledger(), idle).acquisition);
  // What is of the present form stays as it is.
  const Rationale present{"talk", -3.0, {{"part", -3.0}}, {{"mean", -3.0}}};
  EXPECT_EQ(in_present_form(Goal::minimize, small_ledger(), present), present);
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

#ifdef VBO_OLD_STUDIES

// Studies that the first release made, minimizing values of 10 and more.
class OldStudy : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ifstream dump(std::filesystem::path(VBO_OLD_STUDIES) / (std::string(GetParam()) + ".sql"));
    std::stringstream text;
    text << dump.rdbuf();
    const sqlite::Database database(path_, sqlite::Database::Mode::create);
    ASSERT_EQ(sqlite3_exec(database.handle(), text.str().c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK);
  }
  testing::TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "old.db").string();
};

TEST_P(OldStudy, OpensExplainsAndGoesOn) {
  const std::string method = GetParam();
  {
    const auto storage = open_storage(path_, Access::coordinate).value();
    const StudyRecord record = storage->load_study().value().value();
    const Ledger& ledger = ledger_of(record.space, record.optimizer);
    const auto trials = storage->load_trials().value();
    ASSERT_EQ(trials.size(), 24U);
    const Rationale why = in_present_form(record.goal(), ledger, trials.back().rationale);
    for (const auto* terms : {&why.terms, &why.notes}) {
      for (const Term& term : *terms) EXPECT_TRUE(ledger.find_term(term.name)) << term.name;
    }
    const AskReport last = storage->load_reports().value().back().report;
    if (method == "cmaes") {
      EXPECT_FALSE(why.acquisition);
      EXPECT_THAT(why.notes, Contains(Field(&Term::name, "generation")));
    } else if (method == "gp-logei") {
      EXPECT_LT(why.acquisition.value(), 0.0);
      EXPECT_TRUE(why.terms.empty());
      ASSERT_EQ(why.notes.front().name, "mean");
      EXPECT_GT(why.notes.front().value, 9.0);  // as the values are
      EXPECT_GT(last.recommendation.value().mean, 0.0);
    } else {
      ASSERT_TRUE(why.acquisition);
      EXPECT_EQ(acquisition_unit(ledger, why), Unit::normal_score);
      ASSERT_TRUE(last.information && last.information->observed && last.information->ceiling);
      EXPECT_LE(last.information->predicted.value(), *last.information->ceiling);
      EXPECT_TRUE(last.exploitation);
      EXPECT_TRUE(last.deviation);
    }
  }
  Study study = Study::open_existing(path_, 1).value();
  const Trial next = study.ask(1).value().front();
  EXPECT_EQ(next.id, 25);
  ASSERT_TRUE(study.tell(next.id, 10.0));
}

INSTANTIATE_TEST_SUITE_P(Methods, OldStudy, ::testing::Values("cmaes", "gp-logei", "vbo"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

#endif

}  // namespace
}  // namespace vbo

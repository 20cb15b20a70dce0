// SPDX-License-Identifier: MIT
// Every registered method, now and later: what it says adds up and is in the user's sign, its
// points are inside the space and new, and no outcome or space makes it stumble.
#include "optim/conformance.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "storage/memory/memory.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

using testing::Game;
using testing::mixed_space;
using testing::quick_options;
using testing::smooth;

class Conformance : public ::testing::TestWithParam<std::string> {
 protected:
  OptimizerOptions options() const { return quick_options(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Methods, Conformance, ::testing::ValuesIn(testing::method_names()),
                         testing::test_name);

// ---- what it says -------------------------------------------------------------------------------

void expect_sound(const Ledger& ledger, const Rationale& why) {
  EXPECT_FALSE(why.source.empty());
  EXPECT_EQ(why.acquisition.has_value(), !why.terms.empty());
  double sum = 0.0, largest = 0.0;
  for (const Term& term : why.terms) {
    const TermInfo* info = ledger.find_term(term.name);
    ASSERT_TRUE(info) << term.name;
    EXPECT_EQ(info->role, TermRole::adds_up) << term.name;
    EXPECT_EQ(info->unit, acquisition_unit(ledger, why)) << term.name;
    sum += term.value;
    largest = std::max(largest, std::abs(term.value));
  }
  if (why.acquisition) {
    EXPECT_NEAR(sum, *why.acquisition, 1e-5 * largest);
  }
  for (const Term& note : why.notes) {
    const TermInfo* info = ledger.find_term(note.name);
    ASSERT_TRUE(info) << note.name;
    EXPECT_EQ(info->role, TermRole::beside) << note.name;
  }
}

TEST_P(Conformance, WhatItSaysIsDeclaredAndAddsUp) {
  // Once per acquisition that the method offers: each has parts of its own.
  std::vector<OptimizerOptions> all = {options()};
  for (const OptionInfo& option : testing::info_of(GetParam()).options) {
    if (option.name != "acquisition") continue;
    for (const char* kind : {"logei", "ei", "pi", "ucb", "qei", "qlogei", "qucb", "ts"}) {
      OptimizerOptions other = options();
      other.settings["acquisition"] = std::string(kind);
      if (make_optimizer(mixed_space(), other)) all.push_back(other);
    }
  }
  bool scored = false;
  std::set<std::string> sources;
  for (const OptimizerOptions& variant : all) {
    Game game(mixed_space(), variant);
    game.rounds(6);
    const Ledger& ledger = game.optimizer().ledger();
    for (const Trial& trial : game.trials()) {
      expect_sound(ledger, trial.rationale);
      scored = scored || trial.rationale.acquisition;
      sources.insert(trial.rationale.source);
    }
    const AskReport report = game.optimizer().report();
    EXPECT_EQ(report.round, game.optimizer().round());
    for (const Term& value : report.values) {
      EXPECT_TRUE(ledger.find_value(value.name)) << value.name;
      EXPECT_FALSE(std::isnan(value.value)) << value.name;
    }
    if (report.information && report.information->ceiling) {
      EXPECT_LE(report.information->predicted.value_or(0.0), *report.information->ceiling + 1e-9);
    }
  }
  // A method that declares parts of a score also scores.
  const Ledger& ledger = ledger_of(mixed_space(), options());
  const bool declares = std::ranges::any_of(
      ledger.terms, [](const TermInfo& term) { return term.role == TermRole::adds_up; });
  EXPECT_EQ(scored, declares);
  for (const auto* declared : {&ledger.terms, &ledger.values}) {
    std::set<std::string_view> names;
    for (const TermInfo& term : *declared) {
      EXPECT_TRUE(names.insert(term.name).second) << term.name << " is declared twice";
      EXPECT_GT(term.meaning.size(), 5U) << term.name;
      EXPECT_NE(term.meaning.back(), '.') << term.name;
    }
  }
}

// Minimizing f and maximizing -f are one problem: the same points, and what is said differs in the
// sign of the objective alone.
TEST_P(Conformance, SpeaksInTheUsersSign) {
  if (testing::has_two_objectives(GetParam())) GTEST_SKIP() << "needs one value per result";
  const auto play = [&](Goal goal) {
    const double sign = goal == Goal::minimize ? 1.0 : -1.0;
    StudyOptions study_options;
    study_options.space = mixed_space();
    study_options.objectives = {{.goal = goal}};
    study_options.budget = 40;
    study_options.optimizer = options();
    MemoryStorage storage;
    Study study =
        Study::open(study_options, {std::make_unique<MemoryStorage>(storage), {}}).value();
    for (int round = 0; round < 6; ++round) {
      for (const Trial& trial : study.ask(4).value()) {
        const double cost = 100.0 - smooth(mixed_space(), trial.point);
        study.tell(trial.id, sign * cost).value();
      }
    }
    return std::pair(storage.load_trials(1, -1).value(), storage.load_reports(-1).value());
  };
  const auto [low_trials, low_reports] = play(Goal::minimize);
  const auto [high_trials, high_reports] = play(Goal::maximize);
  const Ledger& ledger = ledger_of(mixed_space(), options());
  const auto expect_mirrored = [&](const std::vector<Term>& low, const std::vector<Term>& high,
                                   const std::vector<TermInfo>& declared) {
    ASSERT_EQ(low.size(), high.size());
    for (std::size_t i = 0; i < low.size(); ++i) {
      const auto info = std::ranges::find(declared, std::string_view(low[i].name), &TermInfo::name);
      ASSERT_NE(info, declared.end()) << low[i].name;
      const bool flips = info->unit == Unit::objective;
      EXPECT_EQ(low[i].value, flips ? 0.0 - high[i].value : high[i].value) << low[i].name;
      // Values are around 100: in the user's sign what is minimized is positive.
      if (flips && info->role == TermRole::beside) {
        EXPECT_GT(low[i].value, 0.0) << low[i].name;
      }
    }
  };
  ASSERT_EQ(testing::points_of(low_trials), testing::points_of(high_trials));
  for (std::size_t i = 0; i < low_trials.size(); ++i) {
    const Rationale& low = low_trials[i].rationale;
    const Rationale& high = high_trials[i].rationale;
    expect_mirrored(low.terms, high.terms, ledger.terms);
    expect_mirrored(low.notes, high.notes, ledger.terms);
    ASSERT_EQ(low.acquisition.has_value(), high.acquisition.has_value());
    if (!low.acquisition) continue;
    const bool flips = acquisition_unit(ledger, low) == Unit::objective;
    EXPECT_EQ(*low.acquisition, flips ? 0.0 - *high.acquisition : *high.acquisition);
    if (flips) {
      EXPECT_NEAR(*low.acquisition, 100.0, 20.0);
    }
  }
  ASSERT_EQ(low_reports.size(), high_reports.size());
  for (std::size_t i = 0; i < low_reports.size(); ++i) {
    const AskReport& low = low_reports[i].report;
    const AskReport& high = high_reports[i].report;
    expect_mirrored(low.values, high.values, ledger.values);
    EXPECT_EQ(low.information, high.information);
    ASSERT_EQ(low.recommendation.has_value(), high.recommendation.has_value());
    if (!low.recommendation) continue;
    EXPECT_EQ(low.recommendation->mean, -high.recommendation->mean);
    EXPECT_NEAR(low.recommendation->mean, 100.0, 20.0);
    EXPECT_EQ(low.recommendation->deviation, high.recommendation->deviation);
  }
}

// ---- which points -------------------------------------------------------------------------------

TEST_P(Conformance, SuggestsTheSameOnAnyNumberOfThreads) {
  const auto play = [&](int threads) {
    OptimizerOptions with = options();
    with.threads = threads;
    Game game(mixed_space(), with);
    game.rounds(5);
    return testing::points_of(game.trials());
  };
  const auto alone = play(1);
  EXPECT_EQ(alone, play(4));
  EXPECT_EQ(alone, play(12));  // more than there are models: some are fitted by several
}

TEST_P(Conformance, NeverRepeatsWhatIsOutOrKnown) {
  Game game(mixed_space(), options());
  game.rounds(4);
  for (int i = 0; i < 6; ++i) game.ask(1 + static_cast<std::size_t>(i % 3));  // nothing comes back
  game.tell({{17, -0.5}, {18, -0.25}});
  game.ask(3);
  std::set<std::string> seen;
  for (const Trial& trial : game.trials()) {
    std::string key;
    for (const Value& value : trial.point) key += to_string(value) + ",";
    EXPECT_TRUE(seen.insert(key).second) << "trial " << trial.id << " repeats " << key;
  }
}

// What is out matters: unless it changes what is suggested next, many workers get one point.
TEST_P(Conformance, TakesPendingPointsIntoAccount) {
  OptimizerOptions one = options();
  one.batch = 1;
  Game game(mixed_space(), one);
  game.rounds(12);
  const Point first = game.ask(1).front().point;
  const Point second = game.ask(1).front().point;
  EXPECT_NE(first, second);
}

// A finite space is exhausted without a repeat, and then there is nothing left to ask.
TEST_P(Conformance, ExhaustsAFiniteSpace) {
  if (testing::has_two_objectives(GetParam())) GTEST_SKIP() << "needs one value per result";
  StudyOptions study_options;
  study_options.space =
      Space::make({Parameter::integer("n", 1, 4), Parameter::categorical("c", {"a", "b", "c"})})
          .value();
  study_options.budget = 30;
  study_options.optimizer = options();
  Study study = Study::open(study_options, {std::make_unique<MemoryStorage>(), {}}).value();
  std::set<std::string> seen;
  for (;;) {
    const std::vector<Trial> trials = study.ask(5).value();
    if (trials.empty()) break;
    for (const Trial& trial : trials) {
      seen.insert(to_string(trial.point[0]) + to_string(trial.point[1]));
      study.tell(trial.id, smooth(study_options.space, trial.point)).value();
    }
  }
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_EQ(study.counts().value().completed, 13);  // the best one twice, equal: no noise
}

TEST_P(Conformance, KnowsEveryKindOfParameter) {
  const std::vector<std::vector<Parameter>> spaces = {
      {Parameter::real("x", -5, 10)},
      {Parameter::real("x", 1e-12, 1e12, true)},
      {Parameter::real("x", 1e300, 1.1e300), Parameter::real("y", -1e-300, 1e-300)},
      {Parameter::integer("n", -3, 3)},
      {Parameter::integer("n", 1, 1'000'000, true)},
      {Parameter::categorical("c", {"a", "b", "c", "d", "e"})},
      {Parameter::ordinal("o", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}})},
      {Parameter::real("x", 0.1, 0.7, false, 0.1), Parameter::integer("n", 10, 90, false, 20)},
      {Parameter::categorical("mixed", {std::string("adam"), std::int64_t{3}, true}),
       Parameter::real("y", -1, 1)},
      {Parameter::real("x", 2, 2), Parameter::integer("n", 0, 1)},  // one of them fixed
      {Parameter::real("x", 2, 2), Parameter::categorical("c", {"only"})},
  };
  for (const auto& parameters : spaces) {
    SCOPED_TRACE(parameters.front().name);
    Game game(Space::make(parameters).value(), options());
    game.rounds(5);
  }
  SCOPED_TRACE("with a constraint");
  Game game(Space::make({Parameter::real("x", 0.1, 0.7), Parameter::integer("n", 1, 9)},
                        {"10 * x + n <= 9"})
                .value(),
            options());
  game.rounds(5);
}

// Also where one equality implies another, and where an inequality ends at the same place.
TEST_P(Conformance, KeepsEqualitiesToTheLastDigits) {
  const Space space =
      Space::make({Parameter::real("a", 0, 1), Parameter::real("b", 0, 1),
                   Parameter::real("c", 0.001, 1, true), Parameter::real("d", -1000, 1000)},
                  {"a + b + c == 1", "2 * a + 2 * b + 2 * c == 2", "a + d == 2", "a >= 0.1"})
          .value();
  Game game(space, options());
  game.rounds(4);
  for (const Suggestion& suggestion : game.ask(8)) {
    const auto at = [&](std::size_t i) { return std::get<double>(suggestion.point[i]); };
    EXPECT_NEAR(at(0) + at(1) + at(2), 1.0, 1e-12);
    EXPECT_NEAR(at(0) + at(3), 2.0, 1e-12);
  }
}

TEST_P(Conformance, StandsABatchLargerThanTheBudget) {
  OptimizerOptions large = options();
  large.batch = 16;
  large.budget = 6;
  Game game(mixed_space(), large);
  game.rounds(2);
}

// ---- which outcomes -----------------------------------------------------------------------------

TEST_P(Conformance, StandsAnyOutcome) {
  using Outcome = std::optional<double>;
  const Space space = mixed_space();
  const auto f = [&](const Point& p) { return smooth(space, p); };
  const std::vector<std::pair<const char*, std::function<Outcome(const Point&, TrialId)>>> all = {
      {"constant", [](const Point&, TrialId) { return Outcome(3.0); }},
      {"zero", [](const Point&, TrialId) { return Outcome(0.0); }},
      {"one result", [](const Point&, TrialId id) { return id == 2 ? Outcome(1.0) : Outcome(); }},
      {"all fail", [](const Point&, TrialId) { return Outcome(); }},
      {"huge", [&](const Point& p, TrialId) { return Outcome(1e300 * f(p)); }},
      {"huge, both signs", [&](const Point& p, TrialId) { return Outcome(1e300 * (f(p) + 0.5)); }},
      {"largest",
       [&](const Point&, TrialId id) {
         return Outcome((id % 2 ? 1.0 : -1.0) * std::numeric_limits<double>::max());
       }},
      {"tiny", [&](const Point& p, TrialId) { return Outcome(1e-300 * f(p)); }},
      {"denormal",
       [](const Point&, TrialId id) { return Outcome(static_cast<double>(id) * 5e-324); }},
      {"outlier below",
       [&](const Point& p, TrialId id) { return Outcome(id == 5 ? -1e12 : f(p)); }},
      {"outlier above", [&](const Point& p, TrialId id) { return Outcome(id == 5 ? 1e12 : f(p)); }},
      {"offset", [&](const Point& p, TrialId) { return Outcome(1e15 + f(p)); }},
  };
  for (const auto& [name, outcome] : all) {
    SCOPED_TRACE(name);
    Game game(space, options());
    game.rounds(5, outcome);
    const AskReport report = game.optimizer().report();
    if (report.recommendation) {
      EXPECT_FALSE(std::isnan(report.recommendation->mean));
    }
    // Restored, it says the same again.
    Game restored = game.restored();
    EXPECT_EQ(restored.ask(2).back().point, game.ask(2).back().point);
  }
}

// ---- what it keeps ------------------------------------------------------------------------------

TEST_P(Conformance, StateDoesNotGrowWithResults) {
  OptimizerOptions with = options();
  with.budget = 400;
  Game game(mixed_space(), with);
  game.rounds(12);
  const std::size_t before = game.optimizer().snapshot().size();
  game.rounds(28);
  EXPECT_GT(before, 0U);
  EXPECT_LE(game.optimizer().snapshot().size(), before + before / 4 + 512);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// The flagship as its users meet it: any space, any batch, any order, never repeating.
#include "optim/vbo/vbo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "vbo_player.hpp"

namespace vbo {
namespace {

using namespace play;

TEST(Vbo, ConvergesOnASmoothFunction) {
  Player player(cube(6), {.seed = 1, .batch = 32, .threads = 2}, {});
  player.rounds(15, 32, sphere);
  EXPECT_GT(player.best(), -1e-3);
}

TEST(Vbo, SuggestsInsideTheSpaceWithoutRepeats) {
  Player player(every_kind(), {.seed = 2, .batch = 16}, quick());
  player.rounds(12, 16, [](const Point& p) -> std::optional<double> {
    if (std::get<std::string>(p[3]) == "a") return std::nullopt;  // always fails
    return -std::abs(std::get<double>(p[0]) - 2.0) -
           std::abs(std::log10(std::get<double>(p[1])) + 3);
  });
  std::set<std::string> seen;
  int failures = 0;
  for (const Trial& trial : player.trials) {
    ASSERT_TRUE(player.space.check(trial.point));
    std::string key;
    for (const Value& value : trial.point) key += to_string(value) + ",";
    EXPECT_TRUE(seen.insert(key).second) << key;
    failures += trial.id > 150 && trial.state == TrialState::failed;
  }
  EXPECT_LT(failures, 20);  // of 42: a third would be chance
}

void expect_bias_correction(const AskReport& report) {
  EXPECT_GT(report.round, 0);
  ASSERT_EQ(report.values.size(), 5U);
  ASSERT_TRUE(report.information && report.information->observed && report.information->ceiling);
  ASSERT_TRUE(report.information->predicted);
  EXPECT_GT(*report.information->predicted, 0.0);
  EXPECT_LE(*report.information->predicted, *report.information->ceiling);
  EXPECT_LE(*report.information->observed, *report.information->ceiling);
  EXPECT_NE(*report.information->predicted, *report.information->observed);
}

TEST(Vbo, LedgerSaysNatsAndSourcesAreNamed) {
  for (const double beta : {0.0, 0.02}) {  // told, and sought
    VboOptions options = quick();
    options.beta = beta;
    options.runs = 1;
    Player player(cube(4), {.seed = 3, .batch = 32}, options);
    player.rounds(6, 32, sphere);
    std::set<std::string> sources;
    double nats = 0.0;
    for (const Trial& trial : player.trials) {
      const Rationale& why = trial.rationale;
      sources.insert(why.source);
      if (why.source == "design") continue;
      ASSERT_EQ(why.terms.size(), 3U);
      EXPECT_EQ(why.terms[0].name, "exploitation");
      EXPECT_GE(why.terms[1].value, -1e-5);  // information is not negative
      EXPECT_GE(why.terms[2].value, -1e-5);
      EXPECT_NEAR(why.acquisition.value(),
                  why.terms[0].value + why.terms[1].value + why.terms[2].value, 1e-5);
      // In nats, and the weight that leads to the terms.
      ASSERT_GE(why.notes.size(), 4U);
      EXPECT_NEAR(why.notes[0].value * why.notes[2].value, why.terms[1].value, 1e-9);
      EXPECT_NEAR(why.notes[1].value * why.notes[2].value, why.terms[2].value, 1e-9);
      EXPECT_NEAR(why.notes[2].value, std::sqrt(beta), 1e-12);
      nats += why.notes[0].value + why.notes[1].value;
    }
    EXPECT_GT(nats, 0.0);
    EXPECT_THAT(sources, ::testing::IsSupersetOf({"design", "local", "expected-improvement"}));
    ASSERT_NO_FATAL_FAILURE(expect_bias_correction(player.vbo->report()));
  }
}

// Outcomes y = sum_i x_i / sqrt(D) + noise at inputs drawn from a normal distribution, told and not
// asked for: what an outcome tells about its input is -1/2 log(1 - rho^2) nats, and what the method
// finds agrees with that.
TEST(Vbo, InformationIsThatOfALinearGaussianModel) {
  for (const double rho : {0.5, 0.9}) {
    VboOptions options;
    options.runs = 1;
    options.uniform_share = 1.0;  // every result counts the same, as in the formula
    Vbo vbo(cube(2), {.seed = 4, .batch = 64, .threads = 1}, options);
    Rng rng(4, "linear");
    double observed = 0.0;
    const int rounds = 24, from = 12;
    TrialId id = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<Trial> told;
      for (int i = 0; i < 64; ++i) {
        Trial trial;
        trial.id = ++id;
        const double a = std::clamp(rng.normal(), -4.0, 4.0);
        const double b = std::clamp(rng.normal(), -4.0, 4.0);
        trial.point = {0.5 + 0.375 * a, 0.5 + 0.375 * b};  // four deviations fill the box
        trial.values = {rho * (a + b) / std::sqrt(2.0) + std::sqrt(1.0 - rho * rho) * rng.normal()};
        trial.state = TrialState::completed;
        told.push_back(trial);
      }
      vbo.tell(told);
      if (round < from) continue;
      observed += vbo.report().information->observed.value() / (rounds - from);
    }
    const double truth = -0.5 * std::log(1.0 - rho * rho);
    // Levels lose little, 200 results' worth of learning more; never more than the truth by chance.
    EXPECT_NEAR(observed, truth, 0.1) << rho;
  }
}

TEST(Vbo, RecommendsAnEvaluatedPointUnderNoise) {
  double sum = 0.0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Player player(cube(3), {.seed = seed, .batch = 32}, {});
    Rng rng(seed, "noise");
    player.rounds(15, 32, [&](const Point& p) { return sphere(p) + 0.5 * rng.normal(); });
    const auto recommendation = player.vbo->report().recommendation;
    ASSERT_TRUE(recommendation);
    const Trial& trial = player.trials[static_cast<std::size_t>(recommendation->id - 1)];
    sum += sphere(trial.point);
    EXPECT_LT(recommendation->mean, player.best() + 1e-12);
    EXPECT_GE(recommendation->deviation, 0.0);
  }
  EXPECT_GT(sum / 5.0, -0.15);
}

TEST(Vbo, RecommendsTheBestObservationWithoutNoise) {
  Player player(cube(3), {.seed = 4, .batch = 32}, {});
  for (int round = 0; round < 5; ++round) {
    player.rounds(1, 32, sphere);
    const auto recommendation = player.vbo->report().recommendation;
    ASSERT_TRUE(recommendation);
    const Trial& trial = player.trials[static_cast<std::size_t>(recommendation->id - 1)];
    EXPECT_EQ(sphere(trial.point), player.best()) << round;
  }
}

TEST(Vbo, BatchesMayChangeAndTellsMayComeInAnyOrder) {
  Player player(cube(3), {.seed = 5, .batch = 8}, quick());
  std::vector<TrialId> open;
  Rng rng(1, "order");
  for (const std::size_t n : {1, 17, 3, 64, 1, 1, 200, 5}) {
    for (const TrialId id : player.ask(n)) open.push_back(id);
    rng.shuffle(std::span<TrialId>(open));
    const std::size_t keep = open.size() / 3;
    player.tell(std::span<const TrialId>(open).subspan(keep), sphere);
    open.resize(keep);
  }
  for (const Trial& trial : player.trials) EXPECT_TRUE(player.space.check(trial.point));
}

TEST(Vbo, RecommendsNothingWhenAllFailed) {
  Player player(cube(2), {.seed = 1, .batch = 16}, quick());
  player.rounds(3, 16, [](const Point&) -> std::optional<double> { return std::nullopt; });
  EXPECT_FALSE(player.vbo->report().recommendation);
}

TEST(Vbo, ThreadsDoNotChangeTheSuggestions) {
  for (const std::int64_t action_batch : {0, 1}) {  // without and with the action-net
    const auto points = [&](int threads) {
      VboOptions options = quick();
      options.action_batch = action_batch;
      options.preselection = 64;  // enough to be worth several threads
      Player player(cube(5), {.seed = 8, .batch = 64, .threads = threads}, options);
      player.rounds(6, 64, sphere);
      return player.points();
    };
    const auto alone = points(1);
    EXPECT_EQ(alone, points(4));
    EXPECT_EQ(alone, points(12));  // fits have threads of their own
  }
}

TEST(Vbo, ALargeBatchHasNoRepeats) {
  VboOptions options = quick();
  options.action_batch = 0;
  constexpr std::int64_t batch = 500;
  Player player(cube(5), {.seed = 3, .batch = batch, .threads = 4}, options);
  player.rounds(3, batch, sphere);
  const std::vector<Point> points = player.points();
  EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), points.size());
}

TEST(Vbo, TheActionNetReplacesTheLocalSearchInLargeBatches) {
  VboOptions options = quick();
  options.action_batch = 64;
  options.quadratic = false;      // it would end the restart within these rounds,
  options.model_generations = 1;  // and so would these
  const auto sources = [&](std::int64_t batch) {
    Player player(cube(4), {.seed = 3, .batch = batch}, options);
    player.rounds(8, static_cast<std::size_t>(batch), sphere);
    std::set<std::string> found;  // sources of the last two rounds
    for (const Trial& trial : player.trials) {
      if (trial.id > 6 * batch) found.insert(trial.rationale.source);
    }
    return found;
  };
  EXPECT_THAT(sources(32), ::testing::AllOf(::testing::Contains("local"),
                                            ::testing::Not(::testing::Contains("action-net"))));
  EXPECT_THAT(sources(64), ::testing::AllOf(::testing::Contains("action-net"),
                                            ::testing::Not(::testing::Contains("local"))));
  options.action_batch = 0;
  EXPECT_THAT(sources(64), ::testing::AllOf(::testing::Contains("local"),
                                            ::testing::Not(::testing::Contains("action-net"))));
}

TEST(Vbo, TheLocalSearchLearnsFromWhatTheActionNetSuggests) {
  VboOptions options = quick();
  options.action_batch = 64;
  options.model_generations = 0;  // nor from the surrogate's score
  Player player(cube(4), {.seed = 3, .batch = 64}, options);
  player.rounds(10, 64, sphere);
  ASSERT_TRUE(player.vbo->report().deviation);
  EXPECT_LT(*player.vbo->report().deviation, 0.05);  // 0.15 at first
}

TEST(Vbo, ALargeBatchPredictsWhatItsPartsWould) {
  VboOptions options = quick();
  options.critic_steps = 50;
  const auto promised = [&](std::size_t at_once) {
    Player player(cube(3), {.seed = 4, .batch = 600}, options);
    player.rounds(2, 600, sphere);
    for (std::size_t asked = 0; asked < 600; asked += at_once) player.ask(at_once);
    return player.vbo->report().information->predicted.value();
  };
  const double parts = promised(200);
  EXPECT_GT(parts, 0.05);
  EXPECT_NEAR(promised(600), parts, 0.2 * parts);
}

TEST(Vbo, ExtremeSpacesAndValues) {
  // One dimension, a thousand, only categories, everything fixed; huge, tiny, equal and no values.
  std::vector<Parameter> categories;
  for (int i = 0; i < 5; ++i) {
    categories.push_back(Parameter::categorical("c" + std::to_string(i), {"0", "1", "2", "3"}));
  }
  const std::vector<Space> spaces{cube(1), cube(1000), Space::make(categories).value(),
                                  Space::make({Parameter::real("x", 1, 1)}).value()};
  const std::vector<ObjectiveFunction> objectives{
      [](const Point&) { return 1.0; }, [](const Point&) -> std::optional<double> { return {}; },
      [n = 0](const Point&) mutable { return (++n % 2 ? 1e300 : -1e300); },
      [n = 0](const Point&) mutable { return 1e-300 * ++n; }};
  for (const Space& space : spaces) {
    for (const ObjectiveFunction& f : objectives) {
      for (const std::int64_t action_batch : {0, 1}) {  // without and with the action-net
        VboOptions options = quick();
        options.action_batch = action_batch;
        Player player(space, {.seed = 9, .batch = 8}, options);
        player.rounds(space.size() > 100 ? 36 : 6, 8, f);
        for (const Trial& trial : player.trials) ASSERT_TRUE(space.check(trial.point));
        if (space.size() > 100) break;
      }
      if (space.size() > 100) break;  // one objective is enough where a round is dear
    }
  }
}

TEST(Vbo, LearnsFromTrialsItDidNotSuggest) {
  Player player(cube(2), {.seed = 10, .batch = 16}, {});
  std::vector<Trial> foreign;
  Rng rng(1, "foreign");
  for (int i = 0; i < 100; ++i) {
    Trial trial;
    trial.id = 1000 + i;
    trial.point = {rng.uniform(-1, 2), rng.uniform(-1, 2)};
    trial.values = {sphere(trial.point)};
    trial.state = TrialState::completed;
    foreign.push_back(trial);
  }
  player.vbo->tell(foreign);
  player.rounds(2, 16, sphere);  // no design of its own is needed any more
  for (const Trial& trial : player.trials) EXPECT_NE(trial.rationale.source, "design");
  EXPECT_GT(player.best(), -0.05);
}

TEST(Vbo, SolvesACategoricalPuzzle) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 12; ++i) {
    parameters.push_back(
        Parameter::categorical("c" + std::to_string(i), {"0", "1", "2", "3", "4"}));
  }
  Player player(Space::make(parameters).value(), {.seed = 11, .batch = 32}, {});
  player.rounds(15, 32, [](const Point& p) {  // neighbours that match their planted pair
    double sum = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool here = std::get<std::string>(p[i]) == std::to_string(i % 5);
      const std::size_t j = (i + 5) % p.size();
      const bool there = std::get<std::string>(p[j]) == std::to_string(j % 5);
      sum += (here && there) ? 0.0 : (here || there) ? -1.0 : -0.8;
    }
    return sum;
  });
  EXPECT_EQ(player.best(), 0.0);
}

// A round needs results: with one evaluation at a time it is due after eight. Until then no model
// has learned the newest results, and suggestions keep away from them as from pending ones.
TEST(Vbo, OneAtATimeLearnsInRoundsOfEightAndSuggestsDifferentPoints) {
  Player player(cube(3), {.seed = 5, .batch = 1, .budget = 100}, quick());
  std::vector<std::int64_t> rounds;
  std::vector<Vector> codes;
  const Encoding encoding(cube(3));
  for (int i = 0; i < 64; ++i) {
    const auto ids = player.ask(1);
    codes.push_back(encoding.encode(player.trials.back().point));
    player.tell(ids, sphere);
    rounds.push_back(player.vbo->round());
  }
  EXPECT_GE(rounds.back(), 4);
  EXPECT_LE(rounds.back(), 8);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GT((codes[i] - codes[j]).cwiseAbs().maxCoeff(), 1e-9) << i;
  }
}

}  // namespace
}  // namespace vbo

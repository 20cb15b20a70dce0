// SPDX-License-Identifier: MIT
// The flagship as its users meet it: any space, any batch, any order, resumable, never repeating.
#include "optim/vbo/vbo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace vbo {
namespace {

using Objective = std::function<std::optional<double>(const Point&)>;

Space cube(int dimension) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), -1, 2));
  }
  return Space::make(std::move(parameters)).value();
}

Space every_kind() {
  return Space::make({Parameter::real("x", -5, 10), Parameter::real("rate", 1e-5, 1e-1, true),
                      Parameter::integer("n", 1, 40), Parameter::categorical("c", {"a", "b", "c"}),
                      Parameter::real("fixed", 2, 2)})
      .value();
}

double sphere(const Point& p) {
  double sum = 0.0;
  for (const Value& v : p) sum += std::pow(std::get<double>(v) - 0.7, 2);
  return -sum;
}

// A cheap optimizer for tests that do not ask for quality.
VboOptions quick() {
  VboOptions options;
  options.critics = 2;
  options.hidden = {16};
  options.critic_steps = 5;
  options.action_steps = 2;
  options.screening = 4;
  return options;
}

// Asks and tells; keeps every suggestion.
struct Player {
  std::unique_ptr<Vbo> vbo;
  Space space;
  std::vector<Trial> trials;  // in the order of asking
  EventId event = 0;

  Player(Space s, OptimizerOptions common, VboOptions options)
      : vbo(std::make_unique<Vbo>(s, common, options)), space(std::move(s)) {}

  std::vector<TrialId> ask(std::size_t n) {
    std::vector<TrialId> ids(n);
    std::iota(ids.begin(), ids.end(), static_cast<TrialId>(trials.size()) + 1);
    ++event;
    const std::vector<Suggestion> made = vbo->ask(ids);
    for (std::size_t i = 0; i < n; ++i) {
      Trial trial;
      trial.id = ids[i];
      trial.point = made[i].point;
      trial.rationale = made[i].rationale;
      trial.asked_in = event;
      trials.push_back(trial);
    }
    return ids;
  }

  void tell(std::span<const TrialId> ids, const Objective& f) {
    ++event;
    std::vector<Trial> finished;
    for (const TrialId id : ids) {
      Trial& trial = trials[static_cast<std::size_t>(id - 1)];
      trial.value = f(trial.point);
      trial.state = trial.value ? TrialState::completed : TrialState::failed;
      trial.told_in = event;
      finished.push_back(trial);
    }
    vbo->tell(finished);
  }

  void rounds(int count, std::size_t batch, const Objective& f) {
    for (int i = 0; i < count; ++i) tell(ask(batch), f);
  }

  double best() const {
    double best = -1e300;
    for (const Trial& trial : trials) best = std::max(best, trial.value.value_or(-1e300));
    return best;
  }
  std::vector<Point> points() const {
    std::vector<Point> all;
    for (const Trial& trial : trials) all.push_back(trial.point);
    return all;
  }
};

double runs_or_one(const Player& player) {
  const AskReport report = player.vbo->report();
  return report.values.empty() ? 1.0 : report.values.front().value;
}

// `resumed` takes over from `whole`; both then hear of the trials still open and play on.
void resume_and_go_on(Player& whole, Player& resumed, std::span<const TrialId> open,
                      const Objective& f) {
  resumed.trials = whole.trials;
  resumed.event = whole.event;
  ASSERT_TRUE(resumed.vbo->restore(whole.vbo->snapshot(), whole.trials));
  for (Player* player : {&whole, &resumed}) {
    player->tell(open, f);
    player->rounds(3, 16, f);
  }
}

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

TEST(Vbo, LedgerSaysNatsAndSourcesAreNamed) {
  VboOptions options = quick();
  Player player(cube(4), {.seed = 3, .batch = 32}, options);
  player.rounds(6, 32, sphere);
  std::set<std::string> sources;
  for (const Trial& trial : player.trials) {
    const Rationale& why = trial.rationale;
    sources.insert(why.source);
    if (why.source == "design") continue;
    ASSERT_EQ(why.terms.size(), 3U);
    EXPECT_EQ(why.terms[0].name, "exploitation");
    EXPECT_GE(why.terms[1].value, -1e-5);  // information is not negative
    EXPECT_GE(why.terms[2].value, -1e-5);
    // In nats, and the weight that leads to the terms.
    ASSERT_GE(why.notes.size(), 4U);
    EXPECT_NEAR(why.notes[0].value * why.notes[2].value, why.terms[1].value, 1e-9);
    EXPECT_NEAR(why.notes[1].value * why.notes[2].value, why.terms[2].value, 1e-9);
  }
  EXPECT_THAT(sources, ::testing::IsSupersetOf({"design", "climb", "local", "jump"}));
  const AskReport report = player.vbo->report();
  EXPECT_GT(report.round, 0);
  ASSERT_EQ(report.values.size(), 2U);
  ASSERT_TRUE(report.information && report.information->realized && report.information->ceiling);
  EXPECT_GT(report.information->expected, 0.0);
  EXPECT_LE(report.information->expected, *report.information->ceiling);
  EXPECT_LE(*report.information->realized, *report.information->ceiling);
  EXPECT_NE(report.information->expected, *report.information->realized);
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
    double realized = 0.0;
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
        trial.value = rho * (a + b) / std::sqrt(2.0) + std::sqrt(1.0 - rho * rho) * rng.normal();
        trial.state = TrialState::completed;
        told.push_back(trial);
      }
      vbo.tell(told);
      if (round < from) continue;
      realized += vbo.report().information->realized.value() / (rounds - from);
    }
    const double truth = -0.5 * std::log(1.0 - rho * rho);
    // Levels lose little, 200 results' worth of learning more; never more than the truth by chance.
    EXPECT_NEAR(realized, truth, 0.1) << rho;
  }
}

// Climbers meet on the same tops, whether they are asked for together or one by one.
TEST(Vbo, ClimbedSuggestionsKeepTheirDistance) {
  for (const bool together : {true, false}) {
    Player player(cube(4), {.seed = 3, .batch = 16}, {.improve_share = 0.0});
    player.rounds(4, 16, sphere);
    for (int i = 0; i < (together ? 1 : 16); ++i) player.ask(together ? 16 : 1);
    const Encoding encoding(player.space);
    std::vector<Vector> climbed;
    for (std::size_t i = player.trials.size() - 16; i < player.trials.size(); ++i) {
      if (player.trials[i].rationale.source == "climb") {
        climbed.push_back(encoding.encode(player.trials[i].point));
      }
    }
    ASSERT_GE(climbed.size(), 3U);
    double nearest = 1.0;
    for (std::size_t i = 0; i < climbed.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        nearest = std::min(nearest, (climbed[i] - climbed[j]).norm() / 2.0);
      }
    }
    EXPECT_GT(nearest, 0.003) << together;
  }
}

TEST(Vbo, RecommendsAnEvaluatedPointUnderNoise) {
  Player player(cube(3), {.seed = 4, .batch = 32}, {});
  Rng rng(1, "noise");
  player.rounds(15, 32, [&](const Point& p) { return sphere(p) + 0.5 * rng.normal(); });
  const auto recommendation = player.vbo->report().recommendation;
  ASSERT_TRUE(recommendation);
  const Trial& trial = player.trials[static_cast<std::size_t>(recommendation->id - 1)];
  EXPECT_GT(sphere(trial.point), -0.2);
  EXPECT_LT(recommendation->mean, player.best() + 1e-12);
  EXPECT_GE(recommendation->deviation, 0.0);
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

// Proposals run out: points of the design take their place, and belong to no search.
TEST(Vbo, ResumedRunOnASmallGridSuggestsTheSamePoints) {
  const Space grid =
      Space::make({Parameter::integer("i", 0, 15), Parameter::integer("j", 0, 15)}).value();
  const Objective f = [](const Point& p) -> std::optional<double> {
    return -std::abs(static_cast<double>(std::get<std::int64_t>(p[0])) - 7.0) -
           std::abs(static_cast<double>(std::get<std::int64_t>(p[1])) - 3.0);
  };
  int of_design = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const OptimizerOptions common{.seed = seed, .batch = 16};
    Player whole(grid, common, quick());
    whole.rounds(5, 16, f);
    const auto open = whole.ask(16);
    for (const TrialId id : open) {
      of_design += whole.trials[static_cast<std::size_t>(id - 1)].rationale.source == "design";
    }
    Player resumed(grid, common, quick());
    ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, f));
    EXPECT_EQ(whole.vbo->snapshot(), resumed.vbo->snapshot()) << seed;
    for (std::size_t i = 0; i < whole.trials.size(); ++i) {
      EXPECT_EQ(whole.trials[i].point, resumed.trials[i].point) << seed << ", trial " << i;
    }
  }
  EXPECT_GT(of_design, 0);  // else nothing was tested
}

TEST(Vbo, RecommendsNothingWhenAllFailed) {
  Player player(cube(2), {.seed = 1, .batch = 16}, quick());
  player.rounds(3, 16, [](const Point&) -> std::optional<double> { return std::nullopt; });
  EXPECT_FALSE(player.vbo->report().recommendation);
}

TEST(Vbo, ResumedRunSuggestsTheSamePoints) {
  for (const int threads : {1, 3}) {
    const OptimizerOptions common{.seed = 6, .batch = 16, .threads = threads};
    VboOptions options = quick();
    options.action_batch = threads == 1 ? 0 : 16;  // without and with the action-net
    Player whole(every_kind(), common, options);
    const Objective f = [](const Point& p) -> std::optional<double> {
      return -std::abs(std::get<double>(p[0]) - 2.0);
    };
    whole.rounds(6, 16, f);
    const auto open = whole.ask(7);  // pending while the snapshot is taken
    Player resumed(every_kind(), common, options);
    ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, f));
    EXPECT_EQ(whole.points(), resumed.points());
    EXPECT_EQ(whole.vbo->snapshot(), resumed.vbo->snapshot());
  }
}

// A search that has converged begins anew; the first run's search polishes on, and a snapshot taken
// then resumes exactly.
TEST(Vbo, BeginsAnewAndResumesThere) {
  const OptimizerOptions common{.seed = 9, .batch = 32, .threads = 1};
  const Objective f = [](const Point& p) -> std::optional<double> { return sphere(p); };
  VboOptions options = quick();
  options.runs = 0;  // as many as there is time for
  Player whole(cube(2), common, options);
  int rounds = 0;
  while (runs_or_one(whole) < 2.0 && rounds < 60) {
    whole.rounds(1, 32, f);
    ++rounds;
  }
  ASSERT_EQ(runs_or_one(whole), 2.0) << "no run has ended";
  whole.rounds(3, 32, f);
  const auto open = whole.ask(7);
  Player resumed(cube(2), common, options);
  ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, f));
  EXPECT_EQ(whole.points(), resumed.points());
  EXPECT_EQ(whole.vbo->snapshot(), resumed.vbo->snapshot());
  std::set<std::string> sources;
  for (const Trial& trial : whole.trials) sources.insert(trial.rationale.source);
  EXPECT_THAT(sources, ::testing::IsSupersetOf({"polish", "leap"}));
  // The recommendation is the best result of all runs.
  const AskReport report = whole.vbo->report();
  ASSERT_TRUE(report.recommendation);
  EXPECT_EQ(report.recommendation->mean, whole.best());

  options.runs = 1;
  Player once(cube(2), common, options);
  once.rounds(rounds + 3, 32, f);
  EXPECT_EQ(runs_or_one(once), 1.0);
}

// A run ends when half of a generation is as good as its best, not when the search is narrow: at
// the same deviation a cone still has far to go where a bowl is flat.
TEST(Vbo, BeginsAnewOnlyWhenNothingIsLeftToGain) {
  const OptimizerOptions common{.seed = 9, .batch = 32, .threads = 1};
  const auto runs_when_narrow = [&](const Objective& f) {
    Player player(cube(2), common, quick());
    for (int round = 0; round < 60; ++round) {
      player.rounds(1, 32, f);
      if (runs_or_one(player) > 1.0 || player.vbo->report().deviation < 1e-4) break;
    }
    return runs_or_one(player);
  };
  EXPECT_EQ(runs_when_narrow([](const Point& p) { return std::optional(sphere(p)); }), 2.0);
  EXPECT_EQ(runs_when_narrow([](const Point& p) { return std::optional(-std::sqrt(-sphere(p))); }),
            1.0);
}

// A third of the box fails: by the time a new run begins that is known, and its design stays away.
TEST(Vbo, ANewRunsDesignKeepsAwayFromWhatFails) {
  Player player(cube(2), {.seed = 9, .batch = 32, .threads = 1}, quick());
  const auto fails = [](const Point& p) { return std::get<double>(p[0]) > 1.0; };
  player.rounds(25, 32,
                [&](const Point& p) { return fails(p) ? std::nullopt : std::optional(sphere(p)); });
  int designed = 0, failed = 0;
  for (const Trial& trial : player.trials) {
    if (trial.id <= 32 || trial.rationale.source != "design") continue;
    ++designed;
    failed += fails(trial.point);
  }
  EXPECT_GT(designed, 10);  // else no new run began
  EXPECT_LE(failed, designed / 10);
}

// Every run that a better place has outlived leaves less for the next one, and for jumps.
TEST(Champion, GivesLessToEveryNewRun) {
  const Encoding encoding(cube(2));
  auto search = std::make_unique<LocalSearch>(encoding, 1, 0);
  search->begin(Vector::Constant(2, 0.5), 1e-3, 1.0);
  Champion champion(std::move(search), 0.15);
  Archive history(encoding);
  history.add(1, Vector::Constant(2, 0.5), 1.0);
  history.sort();
  double before = 1.0;
  for (const double share : {0.3, 0.2, 0.15, 0.12}) {
    champion.advance(history, 0.15);
    EXPECT_NEAR(champion.run_share(), share, 1e-12);
    EXPECT_LT(champion.jump_share(), before);
    EXPECT_NEAR(champion.polish_share() + champion.run_share() + champion.jump_share(), 1.0, 1e-12);
    before = champion.jump_share();
    champion.outlive();
  }
}

TEST(Vbo, SnapshotDoesNotGrowWithTheResultsAndDamageIsNoticed) {
  Player player(cube(3), {.seed = 7, .batch = 16}, quick());
  player.rounds(4, 16, sphere);
  const std::size_t early = player.vbo->snapshot().size();
  player.rounds(30, 16, sphere);
  const std::string late = player.vbo->snapshot();
  EXPECT_LT(late.size(), early + 8192);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{3}, late.size() / 2, late.size() - 1}) {
    Vbo fresh(cube(3), {.seed = 7, .batch = 16}, quick());
    EXPECT_FALSE(fresh.restore(std::string_view(late).substr(0, length), player.trials));
  }
}

TEST(Vbo, ThreadsDoNotChangeTheSuggestions) {
  for (const std::int64_t action_batch : {0, 1}) {  // without and with the action-net
    const auto points = [&](int threads) {
      VboOptions options = quick();
      options.action_batch = action_batch;
      options.screening = 64;  // enough to be worth several threads
      Player player(cube(5), {.seed = 8, .batch = 64, .threads = threads}, options);
      player.rounds(6, 64, sphere);
      return player.points();
    };
    const auto alone = points(1);
    EXPECT_EQ(alone, points(4));
    EXPECT_EQ(alone, points(12));  // fits have threads of their own
  }
}

TEST(Vbo, TheActionNetSpeaksForTheLeaderInLargeBatches) {
  VboOptions options = quick();
  options.action_batch = 64;
  const auto sources = [&](std::int64_t batch) {
    Player player(cube(4), {.seed = 3, .batch = batch}, options);
    player.rounds(8, static_cast<std::size_t>(batch), sphere);
    std::set<std::string> found;  // sources of the last two rounds
    for (const Trial& trial : player.trials) {
      if (trial.id > 6 * batch) found.insert(trial.rationale.source);
    }
    return found;
  };
  EXPECT_THAT(sources(32), ::testing::AllOf(::testing::IsSupersetOf({"local", "climb"}),
                                            ::testing::Not(::testing::Contains("action-net"))));
  const std::set<std::string> large = sources(64);
  EXPECT_THAT(large, ::testing::IsSupersetOf({"action-net", "jump"}));
  EXPECT_THAT(large, ::testing::Not(::testing::Contains("climb")));
  options.action_share = 0.0;
  EXPECT_THAT(sources(64), ::testing::AllOf(::testing::IsSupersetOf({"local", "climb"}),
                                            ::testing::Not(::testing::Contains("action-net"))));
}

TEST(Vbo, TheLeaderLearnsFromWhatTheActionNetSuggests) {
  VboOptions options = quick();
  options.action_batch = 64;
  options.imagined = 0;  // nor from the judge's opinion
  Player player(cube(4), {.seed = 3, .batch = 64}, options);
  player.rounds(10, 64, sphere);
  ASSERT_TRUE(player.vbo->report().deviation);
  EXPECT_LT(*player.vbo->report().deviation, 0.02);  // 0.15 at first
}

TEST(Vbo, ALargeBatchPromisesWhatItsPartsWould) {
  VboOptions options = quick();
  options.critic_steps = 50;
  const auto promised = [&](std::size_t at_once) {
    Player player(cube(3), {.seed = 4, .batch = 600}, options);
    player.rounds(2, 600, sphere);
    for (std::size_t asked = 0; asked < 600; asked += at_once) player.ask(at_once);
    return player.vbo->report().information->expected;
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
  const std::vector<Objective> objectives{
      [](const Point&) { return 1.0; }, [](const Point&) -> std::optional<double> { return {}; },
      [n = 0](const Point&) mutable { return (++n % 2 ? 1e300 : -1e300); },
      [n = 0](const Point&) mutable { return 1e-300 * ++n; }};
  for (const Space& space : spaces) {
    for (const Objective& f : objectives) {
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
    trial.value = sphere(trial.point);
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

}  // namespace
}  // namespace vbo

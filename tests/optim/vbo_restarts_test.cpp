// SPDX-License-Identifier: MIT
// What a study of the flagship goes through: it is stopped and resumed, restarts end and begin
// anew.
#include "optim/vbo/vbo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "optim/vbo/constants.hpp"
#include "vbo_player.hpp"

namespace vbo {
namespace {

using namespace play;

// Proposals run out: points of the design take their place, and belong to no search.
TEST(Vbo, ResumedRunOnASmallGridSuggestsTheSamePoints) {
  const Space grid =
      Space::make({Parameter::integer("i", 0, 15), Parameter::integer("j", 0, 15)}).value();
  const ObjectiveFunction f = [](const Point& p) -> std::optional<double> {
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

TEST(Vbo, ResumedRunSuggestsTheSamePoints) {
  for (const int threads : {1, 3}) {
    const OptimizerOptions common{.seed = 6, .batch = 16, .threads = threads};
    VboOptions options = quick();
    options.action_batch = threads == 1 ? 0 : 16;  // without and with the action-net
    options.gp_points = threads == 1 ? 256 : 40;   // a GP of the box and one near the search
    Player whole(every_kind(), common, options);
    const ObjectiveFunction f = [](const Point& p) -> std::optional<double> {
      return -std::abs(std::get<double>(p[0]) - 2.0);
    };
    whole.rounds(6, 16, f);
    const auto open = whole.ask(7);  // pending while the snapshot is taken
    Player resumed(every_kind(), common, options);
    ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, f));
    for (std::size_t i = 0; i < whole.trials.size(); ++i) {
      const bool same = whole.trials[i].point == resumed.trials[i].point;
      EXPECT_TRUE(same) << "trial " << i + 1 << " of " << whole.trials[i].rationale.source;
    }
    EXPECT_TRUE(whole.vbo->snapshot() == resumed.vbo->snapshot());
  }
}

// A search that has converged begins anew; the first restart's search refines on, and a snapshot
// taken then resumes exactly.
TEST(Vbo, BeginsAnewAndResumesThere) {
  const OptimizerOptions common{.seed = 9, .batch = 32, .threads = 1};
  const ObjectiveFunction f = [](const Point& p) -> std::optional<double> { return sphere(p); };
  VboOptions options = quick();
  options.runs = 0;               // as many as there is time for
  options.model_generations = 4;  // the next restart does not end within the rounds below
  Player whole(cube(2), common, options);
  int rounds = 0;
  while (runs_or_one(whole) < 2.0 && rounds < 60) {
    whole.rounds(1, 32, f);
    ++rounds;
  }
  ASSERT_EQ(runs_or_one(whole), 2.0) << "no run has ended";
  // What its last results told is still said; the new restart's design predicts nothing.
  const AskReport ended = whole.vbo->report();
  ASSERT_TRUE(ended.information);
  EXPECT_TRUE(ended.information->observed);
  EXPECT_FALSE(ended.information->predicted);
  EXPECT_FALSE(ended.exploitation);
  whole.rounds(3, 32, f);
  const auto open = whole.ask(7);
  Player resumed(cube(2), common, options);
  ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, f));
  EXPECT_EQ(whole.points(), resumed.points());
  EXPECT_EQ(whole.vbo->snapshot(), resumed.vbo->snapshot());
  std::set<std::string> sources;
  for (const Trial& trial : whole.trials) sources.insert(trial.rationale.source);
  EXPECT_THAT(sources, ::testing::IsSupersetOf({"refinement", "incumbent-mutation"}));
  // The recommendation is the best result of all restarts.
  const AskReport report = whole.vbo->report();
  ASSERT_TRUE(report.recommendation);
  EXPECT_EQ(report.recommendation->mean, whole.best());

  options.runs = 1;
  Player once(cube(2), common, options);
  once.rounds(rounds + 3, 32, f);
  EXPECT_EQ(runs_or_one(once), 1.0);
}

// With every evaluation counting, a search that has converged hardly explores, and a study resumes
// exactly.
TEST(Vbo, AimAverageExploresLess) {
  const ObjectiveFunction waves = [](const Point& p) {
    double sum = sphere(p);
    for (const Value& v : p) sum += 0.3 * std::cos(9.0 * std::get<double>(v));
    return std::optional(sum);
  };
  OptimizerOptions common{.seed = 3, .batch = 16, .threads = 1};
  common.budget = 480;
  const auto explored = [&](VboOptions::Aim aim) {  // in the second half of three studies
    VboOptions options = quick();
    options.aim = aim;
    const std::set<std::string> sources{"design", "mutation", "incumbent-mutation"};
    int count = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
      common.seed = seed;
      Player player(cube(2), common, options);
      player.rounds(30, 16, sphere);
      for (std::size_t i = 240; i < 480; ++i) {
        count += sources.contains(player.trials[i].rationale.source) ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_GT(explored(VboOptions::Aim::best), 40);
  EXPECT_LT(explored(VboOptions::Aim::average), explored(VboOptions::Aim::best) / 4);
  VboOptions options = quick();
  options.aim = VboOptions::Aim::average;
  Player whole(cube(2), common, options), resumed(cube(2), common, options);
  whole.rounds(15, 16, waves);
  const auto open = whole.ask(7);
  ASSERT_NO_FATAL_FAILURE(resume_and_go_on(whole, resumed, open, waves));
  EXPECT_EQ(whole.points(), resumed.points());
  EXPECT_EQ(whole.vbo->snapshot(), resumed.vbo->snapshot());
}

// A design of several rounds: while it comes in there is nothing to say about information, and what
// the restart before predicted is not reported again.
TEST(Vbo, ANewRunsDesignPredictsNothing) {
  VboOptions options = quick();
  options.design = 40;
  Player player(cube(2), {.seed = 9, .batch = 32, .threads = 1}, options);
  int rounds = 0;
  while (runs_or_one(player) < 2.0 && rounds++ < 60) player.rounds(1, 32, sphere);
  ASSERT_EQ(runs_or_one(player), 2.0) << "no run has ended";
  player.rounds(1, 32, sphere);
  EXPECT_FALSE(player.vbo->report().information);
  EXPECT_FALSE(player.vbo->report().exploitation);
}

// A restart ends when half of a generation is as good as its best, not when the search is narrow:
// at the same deviation a cone still has far to go where a bowl is flat.
TEST(Vbo, BeginsAnewOnlyWhenNothingIsLeftToGain) {
  const OptimizerOptions common{.seed = 9, .batch = 32, .threads = 1};
  const auto runs_when_narrow = [&](const ObjectiveFunction& f) {
    VboOptions options = quick();
    options.model_generations = 4;  // not from wide to narrow in one round
    Player player(cube(2), common, options);
    for (int round = 0; round < 60; ++round) {
      player.rounds(1, 32, f);
      if (runs_or_one(player) > 1.0 || player.vbo->report().deviation < 1e-7) break;
    }
    return runs_or_one(player);
  };
  EXPECT_EQ(runs_when_narrow([](const Point& p) { return std::optional(sphere(p)); }), 2.0);
  EXPECT_EQ(runs_when_narrow([](const Point& p) { return std::optional(-std::sqrt(-sphere(p))); }),
            1.0);
}

// A third of the box fails: by the time a new restart begins that is known, and its design stays
// away.
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
  EXPECT_GT(designed, 10);  // else no new restart began
  EXPECT_LE(failed, designed / 10);
}

// A new restart that comes up the incumbent's basin ends before it has converged: it would find the
// same top again.
TEST(Vbo, ARestartInTheIncumbentsBasinEndsEarly) {
  const ObjectiveFunction flat_topped = [](const Point& p) { return -std::pow(sphere(p), 2.0); };
  VboOptions options = quick();
  options.model_generations = 1;     // several rounds on the way up
  double first = 0.0, second = 0.0;  // rounds
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Player player(cube(2), {.seed = seed, .batch = 32, .threads = 1}, options);
    const auto rounds_until = [&](double runs) {
      int rounds = 0;
      for (; runs_or_one(player) < runs && rounds < 60; ++rounds) player.rounds(1, 32, flat_topped);
      EXPECT_EQ(runs_or_one(player), runs);
      return rounds;
    };
    first += rounds_until(2.0);
    second += rounds_until(3.0);
  }
  EXPECT_LT(second, 0.8 * first);
}

// A part of what mutations leave goes to the new restart, nearly all of it once the search is
// exact.
TEST(IncumbentSearch, RefinesUntilItIsExact) {
  const Encoding encoding(cube(2));
  for (const auto& [deviation, share] : {std::pair{1e-3, 0.3}, std::pair{1e-8, 0.9}}) {
    auto search = std::make_unique<GaussianActor>(encoding, 0);
    search->begin(Vector::Constant(2, 0.5), deviation, 1.0);
    EXPECT_EQ(IncumbentSearch(std::move(search)).restart_share(), share);
  }
}

TEST(SuccessRate, SharesFollowSuccessAndForget) {
  batch::SuccessRate own, others;
  EXPECT_DOUBLE_EQ(batch::share_by_success(0.3, own, others), 0.3);  // the prior
  for (int i = 0; i < 64; ++i) others.learn(false);
  for (int i = 0; i < 64; ++i) own.learn(i % 4 == 0);
  EXPECT_DOUBLE_EQ(own.rate(), 17.0 / 80.0);
  EXPECT_DOUBLE_EQ(others.rate(), 1.0 / 80.0);
  EXPECT_GT(batch::share_by_success(0.3, own, others), 0.85);
  for (int i = 0; i < 2000; ++i) own.learn(false), others.learn(false);
  EXPECT_NEAR(batch::share_by_success(0.3, own, others), 0.3, 1e-3);
}

// Each choice matters only once all before it are right, so that results say nothing, or the
// opposite, of the next one: models alone stall, mutations find it.
TEST(Vbo, SolvesAnOrderOfCategories) {
  constexpr std::size_t n = 20;
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < n; ++i) {
    parameters.push_back(Parameter::categorical("x" + std::to_string(i), {"a", "b"}));
  }
  const Space space = Space::make(std::move(parameters)).value();
  for (const std::uint64_t seed : {1, 2, 3}) {
    Rng rng(seed, "target");
    std::vector<Value> target;
    for (std::size_t i = 0; i < n; ++i) target.emplace_back(rng.uniform() < 0.5 ? "a" : "b");
    Player player(space, {.seed = seed, .batch = 16, .threads = 1}, quick());
    player.rounds(40, 16, [&](const Point& p) -> std::optional<double> {
      return static_cast<double>(std::ranges::mismatch(p, target).in1 - p.begin());
    });
    EXPECT_EQ(player.best(), static_cast<double>(n)) << "seed " << seed;
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

}  // namespace
}  // namespace vbo

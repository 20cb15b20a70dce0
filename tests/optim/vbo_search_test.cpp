// SPDX-License-Identifier: MIT
// How the flagship searches: the Gaussian actor, the local search, model-based generations.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "optim/vbo/actors/local_search.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/batch/worth.hpp"
#include "optim/vbo/restart.hpp"
#include "vbo/random.hpp"
#include "vbo_parts.hpp"

namespace vbo {
namespace {

TEST(LocalSearch, BeginsAtTheBestResultAndStaysInTheBox) {
  const Encoding encoding(parts_cube(4));
  LocalCoordinates coordinates(encoding);
  LocalSearch local_search(encoding, VboOptions{}, 1);
  const Archive archive = quadratic_archive(4, 200);
  EXPECT_FALSE(local_search.search().running());
  local_search.advance(archive, coordinates);
  ASSERT_TRUE(local_search.search().running());
  EXPECT_FALSE(local_search.is_narrow());
  EXPECT_NEAR(local_search.search().distance(archive.code(archive.at_rank(0))), 0.0, 1e-9);
  Rng rng(1, "sample");
  for (int i = 0; i < 200; ++i) {
    Vector code = Vector::Zero(4);
    local_search.search().sample(code, rng);
    EXPECT_TRUE((code.array() >= 0.0 && code.array() <= 1.0).all());
  }
}

// A better result of another region would only widen the search; its own results move it anywhere.
TEST(LocalSearch, LearnsFromItsOwnRegion) {
  const Encoding encoding(parts_cube(4));
  const Archive archive = quadratic_archive(4, 200);
  const auto moved_by = [&](bool own) {
    LocalCoordinates coordinates(encoding);
    LocalSearch local_search(encoding, VboOptions{}, 1);
    local_search.advance(archive, coordinates);
    const Vector before = local_search.search().mean_code(archive.code(0));
    for (int i = 0; i < 20; ++i) local_search.learn(Vector::Constant(4, 0.99), 2.0, own);
    local_search.advance(archive, coordinates);
    return local_search.search().distance(before);
  };
  EXPECT_EQ(moved_by(false), 0.0);
  EXPECT_GT(moved_by(true), 0.05);
}

TEST(LocalSearch, BeginsAgainAroundTheBestResultWhenItStandsStill) {
  const Encoding encoding(parts_cube(4));
  LocalCoordinates coordinates(encoding);
  VboOptions options;
  options.explore = 0.0;
  LocalSearch local_search(encoding, options, 1);
  const Archive archive = quadratic_archive(4, 200);
  const auto best = archive.code(archive.at_rank(0));
  local_search.advance(archive, coordinates);
  double narrowest = local_search.search().deviation();
  bool widened = false;
  for (int round = 0; round < 20 && !widened; ++round) {
    for (int i = 0; i < 20; ++i) local_search.learn(best, 1.0, true);
    local_search.advance(archive, coordinates);
    const double deviation = local_search.search().deviation();
    widened = narrowest < 0.04 && deviation > 0.045;
    narrowest = std::min(narrowest, deviation);
  }
  EXPECT_TRUE(widened) << "narrowest " << narrowest;
  EXPECT_NEAR(local_search.search().distance(best), 0.0, 1e-9);
  EXPECT_EQ(local_search.search().best(), 1.0);  // begun again, with the old value to beat
}

// A mutation finds something better far away: a narrow local_search moves there, a wide one does
// not, and without exploration nobody does.
TEST(LocalSearch, MovesToABetterDistantResultOnceNarrow) {
  const Encoding encoding(parts_cube(4));
  for (const double explore : {0.3, 0.0}) {
    LocalCoordinates coordinates(encoding);
    VboOptions options;
    options.explore = explore;
    LocalSearch local_search(encoding, options, 1);
    Archive archive = quadratic_archive(4, 200);
    local_search.advance(archive, coordinates);
    const Vector best = archive.code(archive.at_rank(0));
    while (!local_search.is_narrow()) {
      for (int i = 0; i < 20; ++i) local_search.learn(best, 1.0, true);
      local_search.advance(archive, coordinates);
    }
    local_search.advance(archive, coordinates);
    const Vector far = Vector::Constant(4, 0.95);
    local_search.learn(far, 2.0, false);
    archive.add(1000, far, 2.0);
    archive.sort();
    local_search.advance(archive, coordinates);
    EXPECT_EQ(local_search.search().distance(far) < 0.1, explore > 0.0);
  }
}

TEST(HasActionNet, InLargeBatchesOfNumbers) {
  VboOptions options;
  options.action_batch = 256;
  EXPECT_FALSE(has_action_net(options, 255, 5));
  EXPECT_TRUE(has_action_net(options, 256, 5));
  EXPECT_TRUE(has_action_net(options, 256, 100));
  EXPECT_FALSE(has_action_net(options, 256, 101));
  EXPECT_FALSE(has_action_net(options, 256, 0));
  options.action_batch = 0;  // never
  EXPECT_FALSE(has_action_net(options, 256, 5));
}

// Without it the results of a source would not count for it in a study that is resumed.
TEST(Sources, AreReadBackAsStored) {
  for (std::int64_t part = 1; part <= part_of(kLastSource); ++part) {
    const auto source = stored_source({.part = part});
    ASSERT_TRUE(source.has_value()) << part;
    EXPECT_EQ(part_of(*source), part);
    EXPECT_NE(to_string(*source), "?");
  }
  EXPECT_EQ(to_string(static_cast<Source>(part_of(kLastSource))), "?");  // it is the last one
  EXPECT_FALSE(stored_source({.part = part_of(kLastSource) + 1}).has_value());
  EXPECT_FALSE(stored_source({.part = 0}).has_value());
  EXPECT_FALSE(stored_source({.origin = Origin::start, .part = 1}).has_value());
}

TEST(MutationScore, AsManyAsGainsWithinTheHorizonExceedLosses) {
  batch::MutationScore score;
  // The gain of all together, 100 * 0.1, at a loss of 2 each.
  EXPECT_DOUBLE_EQ(score.worth_trying(100.0, 0.1, 2.0), 5.0);
  EXPECT_EQ(score.worth_trying(100.0, 0.0, 2.0), 0.0);
  for (int i = 0; i < 3; ++i) score.learn(1.0);
  // (2 + 3) / 4 each: eight, of which three were made.
  EXPECT_DOUBLE_EQ(score.worth_trying(100.0, 0.1, 2.0), 5.0);
  score.learn(std::numeric_limits<double>::infinity());  // a failure changes nothing
  EXPECT_DOUBLE_EQ(score.worth_trying(100.0, 0.1, 2.0), 5.0);
  for (int i = 0; i < 20; ++i) score.learn(0.5);
  EXPECT_EQ(score.worth_trying(100.0, 0.1, 2.0), 0.0);  // 16 at a loss of 0.61, and 23 were made
  score.learn(-2.0);                                    // a gain of 2 in 25 against losses of 15
  EXPECT_EQ(score.worth_trying(8.0, 0.1, 2.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(score.worth_trying(7.0, 0.1, 2.0), 0.0);
  for (int i = 0; i < 400; ++i) score.learn(1.0);  // the gain is forgotten
  EXPECT_EQ(score.worth_trying(100.0, 0.1, 2.0), 0.0);
  StateWriter out;
  score.write(out);
  const std::string bytes = out.take();
  batch::MutationScore again;
  StateReader in(bytes);
  again.read(in);
  EXPECT_TRUE(in.complete());
  for (const double horizon : {100.0, 1e4, 1e6}) {
    EXPECT_EQ(again.worth_trying(horizon, 0.1, 2.0), score.worth_trying(horizon, 0.1, 2.0));
  }
}

TEST(Worth, TheHorizonIsWhatIsLeft) {
  EXPECT_EQ(batch::horizon(100, 30), 70.0);
  EXPECT_EQ(batch::horizon(100, 130), 0.0);
  EXPECT_EQ(batch::horizon(0, 30), 30.0);  // no budget: as long again
}

TEST(GaussianActor, StepsAreItsOwnDeviations) {
  const Encoding encoding(parts_cube(3));
  GaussianActor search(encoding, 1);
  const Vector centre = Vector::Constant(3, 0.4);
  search.begin(centre, 0.05);
  EXPECT_NEAR(search.steps_to(centre), 0.0, 1e-9);
  EXPECT_NEAR(search.steps_to(centre + Vector::Constant(3, 0.05)), 1.0, 1e-6);
  EXPECT_NEAR(search.steps_to(centre + Vector::Constant(3, -0.1)), 2.0, 1e-6);
  // Results of a slope stretch it that way: the same distance is fewer steps along it than across.
  Rng rng(2, "slope");
  for (int generation = 0; generation < 8; ++generation) {
    for (int i = 0; i < 32; ++i) {
      Vector x = centre;
      search.sample(x, rng);
      search.learn(x, x[0] - 50.0 * std::abs(x[1] - x[0]) - 50.0 * std::abs(x[2] - 0.4), true);
    }
    search.advance();
  }
  const Vector mean = search.mean_code(centre);
  const double along = search.steps_to(mean + 0.01 * Vector{{1.0, 1.0, 0.0}}),
               across = search.steps_to(mean + 0.01 * Vector{{1.0, -1.0, 0.0}});
  EXPECT_LT(along, 0.5 * across);
  double squares = 0.0;
  for (int i = 0; i < 400; ++i) {
    Vector x = centre;
    search.sample(x, rng);
    squares += std::pow(search.steps_to(x), 2.0);
  }
  EXPECT_NEAR(squares / 400.0, 1.0, 0.15);  // 1 for its draws, in the mean of squares
}

// Integers are drawn at least as widely as is of use, however narrow the search.
TEST(GaussianActor, StepsOfIntegersAreThoseItDraws) {
  const Encoding encoding(
      Space::make({Parameter::real("x", 0, 1), Parameter::integer("n", 1, 9)}).value());
  GaussianActor search(encoding, 1);
  search.begin(Vector{{0.4, 0.5}}, 1e-4);
  Rng rng(2, "integers");
  double squares = 0.0;
  for (int i = 0; i < 400; ++i) {
    Vector x{{0.4, 0.5}};
    search.sample(x, rng);
    squares += std::pow(search.steps_to(x), 2.0);
  }
  EXPECT_NEAR(squares / 400.0, 1.0, 0.2);
}

TEST(GaussianActor, ConvergesOnASphereByItsOwnResults) {
  const Encoding encoding(parts_cube(5));
  GaussianActor search(encoding, 1);
  search.begin(Vector::Constant(5, 0.8), 0.2);
  Rng rng(1, "sphere");
  for (int generation = 0; generation < 60; ++generation) {
    for (int i = 0; i < 20; ++i) {
      Vector code = Vector::Zero(5);
      search.sample(code, rng);
      search.learn(code, -(code.array() - 0.3).square().sum(), true);
    }
    search.advance();
  }
  EXPECT_LT(search.deviation(), 1e-4);
  EXPECT_LT((search.mean_code(Vector::Zero(5)).array() - 0.3).abs().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace vbo

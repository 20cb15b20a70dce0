// SPDX-License-Identifier: MIT
// How the flagship searches: the local search, shares of sources, gradient ascents, local searches.
#include <gtest/gtest.h>
#include <atomic>

#include <algorithm>
#include <limits>

#include "optim/vbo/archive.hpp"
#include "optim/vbo/gradient_ascent.hpp"
#include "optim/vbo/local_search.hpp"
#include "optim/vbo/restart.hpp"
#include "optim/vbo/shares.hpp"
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
// not, and without exploration nobody does. The share of mutations falls until then.
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
    if (explore > 0.0) {
      EXPECT_LT(local_search.mutation_share().value(), explore);
    }
    const Vector far = Vector::Constant(4, 0.95);
    local_search.learn(far, 2.0, false);
    archive.add(1000, far, 2.0);
    archive.sort();
    local_search.advance(archive, coordinates);
    EXPECT_EQ(local_search.search().distance(far) < 0.1, explore > 0.0);
    EXPECT_EQ(local_search.mutation_share().has_value(), explore > 0.0);
    if (explore > 0.0) {
      EXPECT_EQ(*local_search.mutation_share(), explore);
    }
  }
}

TEST(ForBatch, TheActionNetWorksInLargeBatchesOfNumbers) {
  VboOptions options;
  options.action_batch = 256;
  const auto acts = [&](std::int64_t batch, std::int64_t numeric) {
    return for_batch(options, batch, numeric).action_share > 0.0;
  };
  EXPECT_FALSE(acts(255, 5));
  EXPECT_TRUE(acts(256, 5));
  EXPECT_TRUE(acts(256, 100));
  EXPECT_FALSE(acts(256, 101));
  EXPECT_FALSE(acts(256, 0));
  options.action_share = 0.0;
  EXPECT_FALSE(acts(256, 5));
  options.action_share = 1.0;
  options.action_batch = 0;  // never
  EXPECT_FALSE(acts(256, 5));
}

TEST(ModelRanks, MoreGenerationsTheBetterNewResultsAreRanked) {
  EXPECT_EQ((ModelRanks{.surrogate = 0.2, .quadratic = -0.5}.generations(8)), 1);
  EXPECT_EQ((ModelRanks{.surrogate = 0.6, .quadratic = 0.0}.generations(9)), 3);  // 1 + 8 / 4
  EXPECT_EQ((ModelRanks{.surrogate = 0.0, .quadratic = 0.6}.generations(9)), 5);  // 1 + 8 / 2
  EXPECT_EQ((ModelRanks{.surrogate = 0.95, .quadratic = 0.0}.generations(8)), 8);
  EXPECT_EQ((ModelRanks{.surrogate = 0.95, .quadratic = 0.9}.generations(0)), 0);
  EXPECT_TRUE((ModelRanks{.surrogate = 0.5, .quadratic = 0.6}.quadratic_is_better()));
  EXPECT_FALSE((ModelRanks{.surrogate = 0.0, .quadratic = 0.2}.quadratic_is_better()));
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

constexpr Source kSources[] = {Source::mutation, Source::gradient_ascent, Source::local};

double sum_of(const Shares& shares, Shares::ShareState state) {
  double sum = 0.0;
  for (const Source source : kSources) sum += shares.of(source, state);
  return sum;
}

TEST(Shares, FollowWinRatesWithinTheirBounds) {
  VboOptions options;
  options.mutation_share = 0.25;
  options.gradient_share = 0.2;
  Shares shares(options);
  const Shares::ShareState open{}, narrow{.narrow = true}, without_ascent{.ascends = false};
  EXPECT_NEAR(shares.of(Source::local, open), 0.25 / 0.7, 1e-12);
  EXPECT_NEAR(shares.of(Source::gradient_ascent, open), 0.2 / 0.7, 1e-12);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) {
      shares.learn(Source::local, i);
      shares.learn(Source::mutation, -std::numeric_limits<double>::infinity());
      shares.learn(Source::gradient_ascent, 100.0 + i);
    }
    shares.advance();
  }
  // The local search wins against mutations, not against gradient ascents.
  EXPECT_NEAR(shares.win_rate(Source::gradient_ascent), 1.0, 1e-5);
  EXPECT_NEAR(shares.win_rate(Source::local), 0.5, 1e-5);
  EXPECT_NEAR(shares.win_rate(Source::mutation), 0.0, 1e-5);
  for (const Shares::ShareState state : {open, narrow, without_ascent})
    EXPECT_NEAR(sum_of(shares, state), 1.0, 1e-12);
  EXPECT_EQ(shares.of(Source::gradient_ascent, without_ascent), 0.0);
  EXPECT_GT(shares.of(Source::gradient_ascent, open), 0.45);
  EXPECT_GE(shares.of(Source::local, open), 0.3 - 1e-12);
  EXPECT_GE(shares.of(Source::local, narrow), 0.5 - 1e-12);
  // Half of what the option says is a mutation's, whatever comes of it.
  EXPECT_NEAR(shares.of(Source::mutation, open) / shares.of(Source::gradient_ascent, open),
              0.5 * 0.25 / (0.2 * std::pow(2.0, 1.5)), 1e-4);

  // Once the local search is narrow, mutations have a share of their own; the others keep their
  // proportions.
  const Shares::ShareState exploring{.narrow = true, .mutations = 0.3};
  EXPECT_NEAR(sum_of(shares, exploring), 1.0, 1e-12);
  EXPECT_EQ(shares.of(Source::mutation, exploring), 0.3);
  EXPECT_NEAR(shares.of(Source::gradient_ascent, exploring) / shares.of(Source::local, exploring),
              shares.of(Source::gradient_ascent, narrow) / shares.of(Source::local, narrow), 1e-12);

  // Without results of the local search nothing is compared, and little is kept.
  const double before = shares.win_rate(Source::mutation);
  for (int i = 0; i < 5000; ++i) shares.learn(Source::mutation, i);
  shares.advance();
  EXPECT_EQ(shares.win_rate(Source::mutation), before);
  StateWriter little;
  shares.write(little);
  EXPECT_LT(little.take().size(), 4096U);

  // What is stored comes back, the unfinished round included.
  shares.learn(Source::local, 1.0);
  StateWriter out;
  shares.write(out);
  const std::string bytes = out.take();
  Shares again(options);
  StateReader in(bytes);
  again.read(in);
  EXPECT_TRUE(in.complete());
  for (const Source source : kSources) {
    EXPECT_EQ(again.of(source, open), shares.of(source, open)) << to_string(source);
  }
  for (Shares* both : {&shares, &again}) {
    both->learn(Source::local, 2.0);
    both->learn(Source::local, 3.0);
    both->advance();
  }
  EXPECT_NE(again.win_rate(Source::mutation), before);
  EXPECT_EQ(again.win_rate(Source::mutation), shares.win_rate(Source::mutation));
}

// A surrogate whose opinion is known: -|x - peak|^2 / 2, plus what a category is worth.
class PeakSurrogate final : public SearchSurrogate {
 public:
  explicit PeakSurrogate(VectorOf<float> peak) : peak_(std::move(peak)) {}
  using SearchSurrogate::assess;
  const Assessment& assess(nn::InputRef<float> X, double, int, Workspace& workspace,
                           MatrixOf<float>* dX) const override {
    scored += static_cast<int>(X.cols());
    const MatrixOf<float> away = X.colwise() - peak_;
    workspace.assessment.score = -0.5F * away.colwise().squaredNorm().transpose();
    if (dX) *dX = -away / static_cast<float>(X.cols());
    return workspace.assessment;
  }
  mutable std::atomic<int> scored{0};  // points

 private:
  VectorOf<float> peak_;
};

TEST(Climb, ReachesThePeakFromEverywhere) {
  const Encoding encoding(parts_mixed_space());  // x, n, three categories, z
  VectorOf<float> peak(6);
  peak << 0.31F, 1.4F, 0.2F, 1.0F, 0.1F, 0.84F;  // the second lies outside of the cube
  PeakSurrogate surrogate(peak);
  MatrixOf<float> from = random_codes(6, 8, 3);
  for (Eigen::Index i = 0; i < 8; ++i) from.col(i).segment(2, 3) = VectorOf<float>::Unit(3, i % 3);
  const int steps = 40;
  const MatrixOf<float> all = ascend(surrogate, encoding, from, {.steps = steps, .length = 0.03});
  EXPECT_EQ(surrogate.scored, 8 * (steps + 1));
  EXPECT_EQ(ascend(surrogate, encoding, from, {.steps = steps, .length = 0.03, .threads = 3}), all);
  ASSERT_GT(all.cols(), 8);
  const VectorOf<float> top{{0.31F, 1.0F, 0.0F, 1.0F, 0.0F, 0.84F}};
  for (Eigen::Index i = 0; i < 8; ++i) EXPECT_LT((all.col(i) - top).norm(), 0.01F) << i;
  // What was left behind is inside the cube, has one category, and includes the starts.
  for (Eigen::Index i = 0; i < all.cols(); ++i) {
    EXPECT_GE(all.col(i).minCoeff(), 0.0F);
    EXPECT_LE(all.col(i).maxCoeff(), 1.0F);
    EXPECT_EQ(all.col(i).segment(2, 3).sum(), 1.0F);
  }
  for (Eigen::Index i = 0; i < 8; ++i) {
    float nearest = 1.0F;
    for (Eigen::Index j = 8; j < all.cols(); ++j) {
      nearest = std::min(nearest, (all.col(j) - from.col(i)).norm());
    }
    EXPECT_EQ(nearest, 0.0F) << i;
  }
}

TEST(Climb, TakesBackWhatDoesNotHelp) {
  const Encoding encoding(parts_cube(2));
  const VectorOf<float> peak{{0.5F, 0.5F}};
  PeakSurrogate surrogate(peak);
  const MatrixOf<float> from = peak.array() + 0.01F;  // the first steps lead far past the peak
  const AscentOptions options{.steps = 3, .length = 0.2};
  const MatrixOf<float> all = ascend(surrogate, encoding, from, options);
  EXPECT_LE((all.col(0) - peak).norm(), (from - peak).norm());
  EXPECT_EQ(all.col(0), from.col(0));  // 0.2, 0.08 and 0.032 are all too long
  EXPECT_EQ(all.cols(), 1);
}

// Categories whose slopes prediction what they do not keep must not stop the numbers.
TEST(Climb, NumbersMoveWhereCategoriesMislead) {
  class Misleading final : public SearchSurrogate {
   public:
    const Assessment& assess(nn::InputRef<float> X, double, int, Workspace& workspace,
                             MatrixOf<float>* dX) const override {
      Assessment& said = workspace.assessment;
      said.score = -(X.row(0).array() - 0.9F).square().transpose();
      for (Eigen::Index i = 0; i < X.cols(); ++i) {
        for (Eigen::Index b = 1; b < X.rows(); b += 5) said.score[i] += X(b, i);  // first is best
      }
      if (dX) {
        *dX = MatrixOf<float>::Ones(X.rows(), X.cols());  // and all others look better
        for (Eigen::Index b = 1; b < X.rows(); b += 5) dX->row(b).setZero();
        dX->row(0) = -2.0F * (X.row(0).array() - 0.9F);
      }
      return said;
    }
  } surrogate;
  std::vector<Parameter> parameters{Parameter::real("x", 0, 1)};
  for (const char* name : {"a", "b", "c", "d"}) {
    parameters.push_back(Parameter::categorical(name, {"1", "2", "3", "4", "5"}));
  }
  const Encoding encoding(Space::make(std::move(parameters)).value());
  MatrixOf<float> from = MatrixOf<float>::Zero(21, 1);
  from(0, 0) = 0.2F;
  for (Eigen::Index b = 1; b < 21; b += 5) from(b, 0) = 1.0F;
  const MatrixOf<float> all = ascend(surrogate, encoding, from, {.length = 0.03});
  EXPECT_NEAR(all(0, 0), 0.9F, 0.2F);
  EXPECT_EQ(all.col(0).tail(20), from.col(0).tail(20));
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

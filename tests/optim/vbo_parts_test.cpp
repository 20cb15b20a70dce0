// SPDX-License-Identifier: MIT
// The flagship's parts: what each promises on its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "optim/vbo/action_net.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/calibration.hpp"
#include "optim/vbo/climb.hpp"
#include "optim/vbo/critics.hpp"
#include "optim/vbo/frame.hpp"
#include "optim/vbo/regions.hpp"
#include "optim/vbo/shares.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

Space parts_mixed_space() {
  return Space::make({Parameter::real("x", 0, 1), Parameter::integer("n", 1, 9),
                      Parameter::categorical("c", {"a", "b", "c"}), Parameter::real("z", -1, 1)})
      .value();
}

Space parts_cube(int dimension) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  }
  return Space::make(std::move(parameters)).value();
}

MatrixOf<float> random_codes(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed, "codes");
  MatrixOf<float> X(rows, columns);
  for (float& x : X.reshaped()) x = static_cast<float>(rng.uniform());
  return X;
}

// Results of f = -|x - 0.3|^2 at random codes.
Archive quadratic_archive(Eigen::Index dimension, int n) {
  Archive archive(dimension);
  Rng rng(7, "archive");
  for (int i = 0; i < n; ++i) {
    Vector x(dimension);
    for (double& v : x) v = rng.uniform();
    archive.add(i + 1, x, -(x.array() - 0.3).square().sum());
  }
  archive.sort();
  return archive;
}

TEST(Replay, QuantileAndRankAreInverse) {
  for (const double share : {0.0, 0.25, 1.0}) {
    const Replay replay{share, 1000, 200};
    double last = 0.0;
    for (double rank = 0.0; rank < 199.0; rank += 7.5) {
      const double q = replay.quantile(rank);
      EXPECT_GT(q, last);
      EXPECT_NEAR(replay.rank_at(q), rank, 1e-9);
      last = q;
    }
    if (share > 0.0) {
      EXPECT_NEAR(replay.rank_at(replay.quantile(800.0)), 800.0, 1e-9);
    }
  }
  EXPECT_NEAR((Replay{0.25, 1000, 200}.quantile(999.5)), 1.0, 1e-12);
}

TEST(Archive, OrdersBestFirstAndSharesRanksOfTies) {
  Archive archive(1);
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {1.0, 3.0, -inf, 3.0, 2.0, -inf}) {
    archive.add(archive.size() + 1, Vector::Zero(1), value);
    archive.sort();
  }
  std::vector<TrialId> ids;
  for (int rank = 0; rank < archive.size(); ++rank)
    ids.push_back(archive.id(archive.at_rank(rank)));
  EXPECT_EQ(ids, (std::vector<TrialId>{2, 4, 5, 1, 3, 6}));
  EXPECT_EQ(archive.shared_rank(1), 0.5);
  EXPECT_EQ(archive.shared_rank(5), 4.5);
  EXPECT_EQ(archive.value_at_rank(1.5), 2.5);
  EXPECT_EQ(archive.value_at_rank(5.0), 1.0);  // failures have no value to interpolate
}

TEST(Seen, FindsRepeatsWithinTheToleranceOnly) {
  Seen seen(1e-6);
  Rng rng(1, "seen");
  std::vector<Vector> points;
  for (int i = 0; i < 500; ++i) {
    Vector x(6);
    for (double& v : x) v = rng.uniform();
    seen.add(x);
    points.push_back(x);
  }
  for (const Vector& x : points) {
    EXPECT_TRUE(seen.contains(x.array() + 0.9e-6));
    EXPECT_FALSE(seen.contains(x.array() + 1.1e-6));
  }
}

TEST(Frame, BackwardIsTheAdjointOfFeatures) {
  const Encoding encoding(parts_mixed_space());
  Frame frame(encoding);
  ASSERT_EQ(frame.numeric(), 3);
  EXPECT_EQ(frame.inputs(), encoding.dimension() + 2 * 3);
  Matrix A(3, 3);
  A << 3, 0.5, 0.1, 0.5, 2, -0.4, 0.1, -0.4, 5;
  frame.move(0, {Vector::Constant(3, 0.4), A});
  frame.move(1, {Vector::Constant(3, 0.7), Matrix::Constant(3, 1, 4.0)});
  const MatrixOf<float> X = random_codes(encoding.dimension(), 5, 1);
  const MatrixOf<float> weights = random_codes(frame.inputs(), 5, 2);
  MatrixOf<float> Z, dX;
  frame.features(X, Z);
  frame.features_backward(Z, weights, dX);
  const auto loss = [&](const Matrix& at) {
    MatrixOf<float> features;
    frame.features(at.cast<float>(), features);
    return (features.cast<double>().array() * weights.cast<double>().array()).sum();
  };
  // Single precision: differences over 1e-2 are good to about 1e-3.
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    Matrix up = X.cast<double>(), down = up;
    up(i) += 1e-2;
    down(i) -= 1e-2;
    EXPECT_NEAR((loss(up) - loss(down)) / 2e-2, dX(i), 2e-2 * std::max(1.0F, std::abs(dX(i))));
  }
}

VboOptions small_options() {
  VboOptions options;
  options.critics = 3;
  options.hidden = {16, 16};
  options.levels = 8;
  options.minibatch = 32;
  return options;
}

TEST(Critics, GradientWithRespectToInputs) {
  const Encoding encoding(parts_mixed_space());
  const Frame frame(encoding);
  Critics critics(frame.inputs(), small_options(), 3);
  const MatrixOf<float> X = random_codes(encoding.dimension(), 4, 5);
  const DecompositionWeights weights{0.7, 0.4};
  MatrixOf<float> dX;
  critics.evaluate(frame, X, weights, 1, dX);
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    const float h = 5e-3F;
    MatrixOf<float> up = X, down = X;
    up(i) += h;
    down(i) -= h;
    const double high = critics.evaluate(frame, up, weights, 1).objective;
    const double low = critics.evaluate(frame, down, weights, 1).objective;
    EXPECT_NEAR((high - low) / (2 * h), dX(i), 4e-3) << i;
  }
}

TEST(Critics, LearnTheOrderOfOutcomesAndSayHowMuchTheyKnow) {
  const Encoding encoding(parts_cube(3));
  const Frame frame(encoding);
  VboOptions options;
  Critics critics(frame.inputs(), options, 1);
  // Trained on 300 results, asked about 100 others of the same function.
  const Archive known = quadratic_archive(3, 300), archive = quadratic_archive(3, 400);
  const Replay replay = archive.replay(0.25, 80);
  std::vector<int> others(100);
  std::iota(others.begin(), others.end(), 300);
  const double before = critics.held_out_information(archive, replay, frame, others, 1);
  critics.train(known, known.replay(0.25, 60), frame, 200, 0, 1);
  const double after = critics.held_out_information(archive, replay, frame, others, 1);
  EXPECT_LT(before, 0.1);
  EXPECT_GT(after, 0.5);
  EXPECT_LE(after, critics.ceiling());
  MatrixOf<float> X(3, 2);
  X << 0.3F, 0.9F, 0.3F, 0.9F, 0.3F, 0.9F;
  const auto& said = critics.evaluate(frame, X, {}, 1);
  EXPECT_GT(said.mean[0], said.mean[1] + 1.0F);
}

TEST(Critics, TrainingDoesNotDependOnThreads) {
  const Encoding encoding(parts_cube(3));
  const Frame frame(encoding);
  const Archive archive = quadratic_archive(3, 3000);  // more than one pool
  const Replay replay = archive.replay(0.25, 400);
  const auto trained = [&](int threads) {
    Critics critics(frame.inputs(), small_options(), 1);
    critics.train(archive, replay, frame, 5, 0, threads);
    StateWriter out;
    critics.write(out);
    return out.take();
  };
  EXPECT_EQ(trained(1), trained(3));
}

TEST(OutcomeLevels, HaveEqualMassAndTiesShareOne) {
  Archive archive(1);
  for (int i = 0; i < 100; ++i) archive.add(i + 1, Vector::Constant(1, 0.5), i);
  archive.sort();
  const OutcomeLevels levels(archive, archive.replay(1.0, 100), 10);
  ASSERT_EQ(levels.size(), 10);
  EXPECT_NEAR(levels.mass().maxCoeff(), 0.1, 1e-12);
  std::vector<int> found(10);
  for (int i = 0; i < 100; ++i) ++found[static_cast<std::size_t>(levels.level_of(i))];
  EXPECT_THAT(found, ::testing::Each(10));
  EXPECT_EQ(levels.level_of(-1e300), 0);
  EXPECT_EQ(levels.level_of(1e300), 9);

  Archive tied(1);
  for (int i = 0; i < 100; ++i) tied.add(i + 1, Vector::Constant(1, 0.5), i < 70 ? 1.0 : i);
  tied.sort();
  const OutcomeLevels few(tied, tied.replay(1.0, 100), 10);
  EXPECT_EQ(few.size(), 4);
  EXPECT_NEAR(few.mass()[0], 0.7, 1e-12);
  EXPECT_EQ(few.level_of(1.0), 0);
}

// A family of four functions on eight inputs, each equally likely, with outcomes on four levels.
// With predictions that are right, what is expected is I(X;Y) to the last digit and what is found
// agrees with it; with predictions that are twice too sure, learning brings the two together again.
TEST(Calibration, AgreesWithAFiniteFamilyAndCorrectsOverconfidence) {
  Archive archive(1);
  Rng rng(7, "family");
  for (int i = 0; i < 4000; ++i) archive.add(i + 1, Vector::Constant(1, 0.5), i % 4);
  archive.sort();
  const OutcomeLevels levels(archive, archive.replay(1.0, 4000), 4);
  ASSERT_EQ(levels.size(), 4);
  Matrix truth(4, 8);  // p(y | x): function f gives input x the outcome (x + f x) mod 4
  truth.setZero();
  for (int x = 0; x < 8; ++x) {
    for (int f = 0; f < 4; ++f) truth((x + f * (x % 3)) % 4, x) += 0.25;
  }
  double information = 0.0;
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 4; ++y) {
      if (truth(y, x) > 0.0) information += truth(y, x) * std::log(4.0 * truth(y, x)) / 8.0;
    }
  }
  ASSERT_GT(information, 0.3);
  EXPECT_NEAR(Calibration(1.0).expected(levels, truth), information, 0.01);

  Matrix sure = truth.array() + 0.05;
  const Matrix modest = sure.array().rowwise() / sure.colwise().sum().array();
  sure = modest.array().square();
  sure = sure.array().rowwise() / sure.colwise().sum().array().eval();
  const auto play = [&](const Matrix& predicted, double sharpness) {
    Calibration calibration(sharpness);
    double difference = 0.0;
    const int rounds = 40;
    for (int round = 0; round < rounds; ++round) {
      Matrix P(4, 64);
      std::vector<int> outcomes;
      for (int i = 0; i < 64; ++i) {
        const auto x = static_cast<Eigen::Index>(rng.below(8));
        P.col(i) = predicted.col(x);
        double u = rng.uniform();
        int y = 0;
        while (y < 3 && (u -= modest(y, x)) > 0.0) ++y;
        outcomes.push_back(y);
      }
      const Calibration::Nats nats = calibration.judge(levels, P, outcomes);
      if (round >= rounds / 2) difference += (nats.expected - nats.realized) / (rounds / 2);
      calibration.learn(levels, P, outcomes);
    }
    return std::pair(difference, calibration.sharpness());
  };
  const auto [honest, unchanged] = play(modest, 1.0);
  EXPECT_NEAR(honest, 0.0, 0.06);
  EXPECT_NEAR(unchanged, 1.0, 0.2);
  const auto [corrected, halved] = play(sure, 1.0);
  EXPECT_NEAR(corrected, 0.0, 0.06);
  EXPECT_NEAR(halved, 0.5, 0.1);
}

TEST(ActionNet, StartsUniformAndMovesToTheGoodRegion) {
  const Encoding encoding(parts_cube(2));
  const Frame frame(encoding);
  VboOptions options;
  Critics critics(frame.inputs(), options, 1);
  ActionNet net(encoding, options, 1);
  Rng rng(1, "act");
  const MatrixOf<float> first = net.act(4000, rng);
  EXPECT_NEAR(first.mean(), 0.5, 5 * std::sqrt(1.0 / 12 / 8000));
  EXPECT_NEAR((first.array() - 0.5F).square().mean(), 1.0 / 12, 0.005);

  const Archive archive = quadratic_archive(2, 400);
  critics.train(archive, archive.replay(0.25, 80), frame, 200, 0, 1);
  options.action_steps = 300;
  ActionNet trained(encoding, options, 1);
  CriticsJudge judge(critics, frame);
  const ActionNet::Gauge gauge = trained.train(judge, 64, 0, 1);
  const MatrixOf<float> later = trained.act(1000, rng);
  const auto distance = [](const MatrixOf<float>& X) {
    return (X.array() - 0.3F).square().colwise().sum().mean();
  };
  EXPECT_LT(distance(later), 0.3 * distance(first));
  EXPECT_GE(gauge.input_information, 0.0);
  EXPECT_GE(gauge.model_information, 0.0);
}

TEST(ActionNet, CategoriesAreOneHot) {
  const Encoding encoding(parts_mixed_space());
  ActionNet net(encoding, small_options(), 1);
  Rng rng(2, "act");
  const MatrixOf<float> X = net.act(50, rng);
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    const auto rows = X.middleRows(block.offset, block.width);
    EXPECT_TRUE((rows.array() == 0.0F || rows.array() == 1.0F).all());
    EXPECT_TRUE((rows.colwise().sum().array() == 1.0F).all());
  }
}

TEST(Regions, SecondSearchWorksInAnotherRegion) {
  const Encoding encoding(parts_cube(4));
  Frame frame(encoding);
  Regions regions(encoding, VboOptions{}, 1);
  const Archive archive = quadratic_archive(4, 200);
  regions.advance(archive, frame);
  ASSERT_TRUE(regions.leader().running());
  ASSERT_TRUE(regions.second().running());
  EXPECT_FALSE(regions.is_narrow());
  EXPECT_GT(regions.leader().distance(regions.second().mean_code(archive.code(0))), 0.2);
  Rng rng(1, "sample");
  for (int i = 0; i < 200; ++i) {
    Vector code = Vector::Zero(4);
    regions.leader().sample(code, rng);
    EXPECT_TRUE((code.array() >= 0.0 && code.array() <= 1.0).all());
  }
}

TEST(Regions, LeaderThatStandsStillBeginsAgainAroundTheBestResult) {
  const Encoding encoding(parts_cube(4));
  Frame frame(encoding);
  VboOptions options;
  options.second_share = 0.0;
  options.explore = 0.0;
  Regions regions(encoding, options, 1);
  const Archive archive = quadratic_archive(4, 200);
  const auto best = archive.code(archive.at_rank(0));
  regions.advance(archive, frame);
  double narrowest = regions.leader().deviation();
  bool widened = false;
  for (int round = 0; round < 20 && !widened; ++round) {
    for (int i = 0; i < 20; ++i) regions.learn(best, 1.0, Regions::From::leader);
    regions.advance(archive, frame);
    const double deviation = regions.leader().deviation();
    widened = narrowest < 0.04 && deviation > 0.045;
    narrowest = std::min(narrowest, deviation);
  }
  EXPECT_TRUE(widened) << "narrowest " << narrowest;
  EXPECT_FALSE(regions.second().running());
  EXPECT_NEAR(regions.leader().distance(best), 0.0, 1e-9);
  EXPECT_EQ(regions.leader().best(), 1.0);  // begun again, with the old value to beat
}

// A jump finds something better far away: a narrow leader moves there, a wide one does not, and
// without exploration nobody does. The share of jumps falls until then.
TEST(Regions, NarrowLeaderMovesToABetterDistantResult) {
  const Encoding encoding(parts_cube(4));
  for (const double explore : {0.3, 0.0}) {
    Frame frame(encoding);
    VboOptions options;
    options.second_share = 0.0;
    options.explore = explore;
    Regions regions(encoding, options, 1);
    Archive archive = quadratic_archive(4, 200);
    regions.advance(archive, frame);
    const Vector best = archive.code(archive.at_rank(0));
    while (!regions.is_narrow()) {
      for (int i = 0; i < 20; ++i) regions.learn(best, 1.0, Regions::From::leader);
      regions.advance(archive, frame);
    }
    regions.advance(archive, frame);
    if (explore > 0.0) {
      EXPECT_LT(regions.jump_share().value(), explore);
    }
    const Vector far = Vector::Constant(4, 0.95);
    regions.learn(far, 2.0, Regions::From::neither);
    archive.add(1000, far, 2.0);
    archive.sort();
    regions.advance(archive, frame);
    EXPECT_EQ(regions.leader().distance(far) < 0.1, explore > 0.0);
    EXPECT_EQ(regions.jump_share().has_value(), explore > 0.0);
    if (explore > 0.0) {
      EXPECT_EQ(*regions.jump_share(), explore);
    }
  }
}

constexpr Source kSources[] = {Source::action_net, Source::jump, Source::climb, Source::second,
                               Source::local};

double sum_of(const Shares& shares, Shares::Race race) {
  double sum = 0.0;
  for (const Source source : kSources) sum += shares.of(source, race);
  return sum;
}

TEST(Shares, FollowWinRatesWithinTheirBounds) {
  VboOptions options;
  options.action_share = 0.15;
  options.jump_share = 0.1;
  options.climb_share = 0.2;
  options.second_share = 0.2;
  Shares shares(options);
  const Shares::Race open{true, false}, narrow{true, true}, alone{false, true};
  EXPECT_NEAR(shares.of(Source::local, open), 0.3, 1e-12);  // the least it gets
  EXPECT_NEAR(shares.of(Source::climb, open), 0.7 * 0.2 / 0.65, 1e-12);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) {
      shares.learn(Source::local, i);
      shares.learn(Source::action_net, -std::numeric_limits<double>::infinity());
      shares.learn(Source::climb, 100.0 + i);
      shares.learn(Source::jump, i);
      shares.learn(Source::second, -1.0);
    }
    shares.advance();
  }
  // Against the other three: leader and jump win against the action-net and half of each other.
  EXPECT_NEAR(shares.win_rate(Source::climb), 1.0, 1e-5);
  EXPECT_NEAR(shares.win_rate(Source::local), 0.5, 1e-5);
  EXPECT_NEAR(shares.win_rate(Source::action_net), 0.0, 1e-5);
  EXPECT_NEAR(shares.win_rate(Source::second), 0.25, 1e-5);  // above the action-net's only
  for (const Shares::Race race : {open, narrow, alone})
    EXPECT_NEAR(sum_of(shares, race), 1.0, 1e-12);
  EXPECT_EQ(shares.of(Source::second, alone), 0.0);
  EXPECT_GT(shares.of(Source::climb, open), 0.45);
  EXPECT_GE(shares.of(Source::local, open), 0.3 - 1e-12);
  EXPECT_GE(shares.of(Source::local, narrow), 0.5 - 1e-12);
  EXPECT_GT(shares.of(Source::action_net, open), 0.0);
  EXPECT_LT(shares.of(Source::action_net, open), 0.02);

  // Once the leader is narrow, jumps have a share of their own; the others keep their proportions.
  const Shares::Race exploring{true, true, 0.3};
  EXPECT_NEAR(sum_of(shares, exploring), 1.0, 1e-12);
  EXPECT_EQ(shares.of(Source::jump, exploring), 0.3);
  EXPECT_NEAR(shares.of(Source::climb, exploring) / shares.of(Source::local, exploring),
              shares.of(Source::climb, narrow) / shares.of(Source::local, narrow), 1e-12);

  // Without results of the leader nothing is compared, and little is kept.
  const double before = shares.win_rate(Source::jump);
  for (int i = 0; i < 5000; ++i) shares.learn(Source::jump, i);
  shares.advance();
  EXPECT_EQ(shares.win_rate(Source::jump), before);
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
  EXPECT_NE(again.win_rate(Source::jump), before);
  EXPECT_EQ(again.win_rate(Source::jump), shares.win_rate(Source::jump));
}

// A judge whose opinion is known: -|x - peak|^2 / 2, plus what a category is worth.
class PeakJudge final : public Judge {
 public:
  explicit PeakJudge(VectorOf<float> peak) : peak_(std::move(peak)) {}
  const Judgement& judge(nn::InputRef<float> X, double, int, MatrixOf<float>* dX) override {
    ++calls;
    const MatrixOf<float> away = X.colwise() - peak_;
    said_.score = -0.5F * away.colwise().squaredNorm().transpose();
    if (dX) *dX = -away / static_cast<float>(X.cols());
    return said_;
  }
  int calls = 0;

 private:
  VectorOf<float> peak_;
  Judgement said_;
};

TEST(Climb, ReachesThePeakFromEverywhere) {
  const Encoding encoding(parts_mixed_space());  // x, n, three categories, z
  VectorOf<float> peak(6);
  peak << 0.31F, 1.4F, 0.2F, 1.0F, 0.1F, 0.84F;  // the second lies outside of the cube
  PeakJudge judge(peak);
  MatrixOf<float> from = random_codes(6, 8, 3);
  for (Eigen::Index i = 0; i < 8; ++i) from.col(i).segment(2, 3) = VectorOf<float>::Unit(3, i % 3);
  const int steps = 40;
  const MatrixOf<float> all =
      climb(judge, encoding, from, {.steps = steps, .length = VectorOf<float>::Constant(8, 0.03F)});
  EXPECT_EQ(judge.calls, steps + 1);
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
  PeakJudge judge(peak);
  const MatrixOf<float> from = peak.array() + 0.01F;  // the first steps lead far past the peak
  const ClimbOptions options{.steps = 3, .length = VectorOf<float>::Constant(1, 0.2F)};
  const MatrixOf<float> all = climb(judge, encoding, from, options);
  EXPECT_LE((all.col(0) - peak).norm(), (from - peak).norm());
  EXPECT_EQ(all.col(0), from.col(0));  // 0.2, 0.08 and 0.032 are all too long
  EXPECT_EQ(all.cols(), 1);
}

// Categories whose slopes promise what they do not keep must not stop the numbers.
TEST(Climb, NumbersMoveWhereCategoriesMislead) {
  class Misleading final : public Judge {
   public:
    const Judgement& judge(nn::InputRef<float> X, double, int, MatrixOf<float>* dX) override {
      said_.score = -(X.row(0).array() - 0.9F).square().transpose();
      for (Eigen::Index i = 0; i < X.cols(); ++i) {
        for (Eigen::Index b = 1; b < X.rows(); b += 5) said_.score[i] += X(b, i);  // first is best
      }
      if (dX) {
        *dX = MatrixOf<float>::Ones(X.rows(), X.cols());  // and all others look better
        for (Eigen::Index b = 1; b < X.rows(); b += 5) dX->row(b).setZero();
        dX->row(0) = -2.0F * (X.row(0).array() - 0.9F);
      }
      return said_;
    }

   private:
    Judgement said_;
  } judge;
  std::vector<Parameter> parameters{Parameter::real("x", 0, 1)};
  for (const char* name : {"a", "b", "c", "d"}) {
    parameters.push_back(Parameter::categorical(name, {"1", "2", "3", "4", "5"}));
  }
  const Encoding encoding(Space::make(std::move(parameters)).value());
  MatrixOf<float> from = MatrixOf<float>::Zero(21, 1);
  from(0, 0) = 0.2F;
  for (Eigen::Index b = 1; b < 21; b += 5) from(b, 0) = 1.0F;
  const MatrixOf<float> all =
      climb(judge, encoding, from, {.length = VectorOf<float>::Constant(1, 0.03F)});
  EXPECT_NEAR(all(0, 0), 0.9F, 0.2F);
  EXPECT_EQ(all.col(0).tail(20), from.col(0).tail(20));
}

TEST(LocalSearch, ConvergesOnASphereByItsOwnResults) {
  const Encoding encoding(parts_cube(5));
  LocalSearch search(encoding, 0, 1);
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

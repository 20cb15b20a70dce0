// SPDX-License-Identifier: MIT
// What the flagship knows: its archive, critics, calibration and action-net.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "optim/vbo/actors/action_net.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics/calibration.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
#include "optim/vbo/critics/networks.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"
#include "vbo_parts.hpp"

namespace vbo {
namespace {

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

TEST(LocalCoordinates, BackwardIsTheAdjointOfFeatures) {
  const Encoding encoding(parts_mixed_space());
  LocalCoordinates coordinates(encoding);
  ASSERT_EQ(coordinates.numeric(), 3);
  EXPECT_EQ(coordinates.inputs(), encoding.dimension() + 3);
  Matrix A(3, 3);
  A << 3, 0.5, 0.1, 0.5, 2, -0.4, 0.1, -0.4, 5;
  for (const Matrix& whitening : {A, Matrix(Matrix::Constant(3, 1, 4.0))}) {
    coordinates.move({Vector::Constant(3, 0.4), whitening});
    const MatrixOf<float> X = random_codes(encoding.dimension(), 5, 1);
    const MatrixOf<float> weights = random_codes(coordinates.inputs(), 5, 2);
    MatrixOf<float> Z, dX;
    coordinates.features(X, Z);
    coordinates.features_backward(Z, weights, dX);
    const auto loss = [&](const Matrix& at) {
      MatrixOf<float> features;
      coordinates.features(at.cast<float>(), features);
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
}

VboOptions small_options() {
  VboOptions options;
  options.critics = 3;
  options.hidden = {16, 16};
  options.levels = 8;
  options.minibatch = 32;
  return options;
}

TEST(Networks, GradientWithRespectToInputs) {
  const Encoding encoding(parts_mixed_space());
  const LocalCoordinates coordinates(encoding);
  Networks critics(coordinates.inputs(), small_options(), 3);
  const MatrixOf<float> X = random_codes(encoding.dimension(), 4, 5);
  const DecompositionWeights weights{0.7, 0.4};
  MatrixOf<float> dX;
  Networks::Workspace workspace;
  critics.evaluate(coordinates, X, weights, 1, workspace, dX);
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    const float h = 1e-3F;
    MatrixOf<float> up = X, down = X;
    up(i) += h;
    down(i) -= h;
    const double high = critics.evaluate(coordinates, up, weights, 1, workspace).objective;
    const double low = critics.evaluate(coordinates, down, weights, 1, workspace).objective;
    EXPECT_NEAR((high - low) / (2 * h), dX(i), 4e-3) << i;
  }
}

// What predictions tell of these results, which the critics were not trained on. Nats.
double held_out_information(const Networks& critics, const LocalCoordinates& coordinates,
                            const Archive& archive, const Replay& replay,
                            const std::vector<int>& indices) {
  MatrixOf<float> X(archive.code(0).size(), std::ssize(indices));
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    X.col(i) = archive.code(indices[static_cast<std::size_t>(i)]).cast<float>();
  }
  Networks::Workspace workspace;
  const MatrixOf<float>& P = critics.evaluate(coordinates, X, {}, 1, workspace).predictive;
  double nats = critics.ceiling();
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    const double above = replay.quantile(archive.shared_rank(indices[static_cast<std::size_t>(i)]));
    const auto level = static_cast<Eigen::Index>((1.0 - above) * static_cast<double>(P.rows()));
    nats += std::log(P(std::min(level, P.rows() - 1), i)) / static_cast<double>(X.cols());
  }
  return nats;
}

TEST(Networks, LearnTheOrderOfOutcomesAndSayHowMuchTheyKnow) {
  const Encoding encoding(parts_cube(3));
  const LocalCoordinates coordinates(encoding);
  // Trained on 300 results, asked about 100 others of the same function.
  const Archive known = quadratic_archive(3, 300), archive = quadratic_archive(3, 400);
  const Replay replay = archive.replay(0.25, 80);
  std::vector<int> others(100);
  std::iota(others.begin(), others.end(), 300);
  double before = 0.0;  // mean: one of them may know something by chance
  constexpr int kSeeds = 4;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Networks critics(coordinates.inputs(), VboOptions{}, static_cast<std::uint64_t>(seed));
    before += held_out_information(critics, coordinates, archive, replay, others) / kSeeds;
    critics.train(known, known.replay(0.25, 60), coordinates, 200, 0, 1);
    const double after = held_out_information(critics, coordinates, archive, replay, others);
    EXPECT_GT(after, 0.5);
    EXPECT_LE(after, critics.ceiling());
    Networks::Workspace workspace;
    MatrixOf<float> X(3, 2);
    X << 0.3F, 0.9F, 0.3F, 0.9F, 0.3F, 0.9F;
    const auto& said = critics.evaluate(coordinates, X, {}, 1, workspace);
    EXPECT_GT(said.mean[0], said.mean[1] + 1.0F);
  }
  EXPECT_LT(before, 0.1);
}

TEST(Networks, TrainingDoesNotDependOnThreads) {
  const Encoding encoding(parts_cube(3));
  const LocalCoordinates coordinates(encoding);
  const Archive archive = quadratic_archive(3, 3000);  // more than one pool
  const Replay replay = archive.replay(0.25, 400);
  const auto trained = [&](int threads) {
    Networks critics(coordinates.inputs(), small_options(), 1);
    critics.train(archive, replay, coordinates, 5, 0, threads);
    StateWriter out;
    critics.write(out);
    return out.take();
  };
  EXPECT_EQ(trained(1), trained(3));
  // Nor on the order.
  Networks critics(coordinates.inputs(), small_options(), 1);
  auto pieces = critics.training(archive, replay, coordinates, 5, 0);
  ASSERT_EQ(pieces.size(), 3U);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) piece->work(1);
  StateWriter out;
  critics.write(out);
  EXPECT_EQ(out.take(), trained(1));
}

TEST(Networks, PredictionsDoNotDependOnThreads) {
  const Encoding encoding(parts_cube(10));
  LocalCoordinates coordinates(encoding);
  coordinates.move({Vector::Constant(10, 0.4), Matrix::Random(10, 10)});
  Networks critics(coordinates.inputs(), small_options(), 3);
  const MatrixOf<float> X = random_codes(10, 300, 5);
  Networks::Workspace workspace;
  const VectorOf<float> alone = critics.evaluate(coordinates, X, {}, 1, workspace).mean;
  for (const int threads : {2, 4, 6, 16}) {
    EXPECT_EQ(critics.evaluate(coordinates, X, {}, threads, workspace).mean, alone) << threads;
  }
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
  EXPECT_NEAR(Calibration(1.0).predicted(levels, truth), information, 0.01);

  Matrix sure = truth.array() + 0.05;
  const Matrix modest = sure.array().rowwise() / sure.colwise().sum().array();
  sure = modest.array().square();
  sure = sure.array().rowwise() / sure.colwise().sum().array().eval();
  const auto play = [&](const Matrix& predicted, double inverse_temperature) {
    Calibration calibration(inverse_temperature);
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
      const Calibration::Nats nats = calibration.assess(levels, P, outcomes);
      if (round >= rounds / 2) difference += (nats.predicted - nats.observed) / (rounds / 2);
      calibration.learn(levels, P, outcomes);
    }
    return std::pair(difference, calibration.inverse_temperature());
  };
  const auto [honest, unchanged] = play(modest, 1.0);
  EXPECT_NEAR(honest, 0.0, 0.06);
  EXPECT_NEAR(unchanged, 1.0, 0.2);
  const auto [corrected, halved] = play(sure, 1.0);
  EXPECT_NEAR(corrected, 0.0, 0.06);
  EXPECT_NEAR(halved, 0.5, 0.1);
  // Models that are not sure enough are not made sharper; the account raises their predicts.
  Matrix unsure = modest.array().sqrt();
  unsure = unsure.array().rowwise() / unsure.colwise().sum().array().eval();
  const auto [raised, held] = play(unsure, 1.0);
  EXPECT_NEAR(raised, 0.0, 0.06);
  EXPECT_EQ(held, 1.0);
}

// Models that grow less sure from batch to batch: b is always that of the batch before, so predicts
// are too high every time. The account of what was promised too much brings their mean down.
TEST(Calibration, CorrectsPredictionsThatWereTooHigh) {
  Archive archive(1);
  for (int i = 0; i < 4000; ++i) archive.add(i + 1, Vector::Constant(1, 0.5), i % 4);
  archive.sort();
  const OutcomeLevels levels(archive, archive.replay(1.0, 4000), 4);
  Rng rng(11, "drift");
  Calibration calibration(1.0);
  double difference = 0.0, expected = 0.0;
  const int rounds = 60;
  double truth = 0.97;  // probability of the level that is predicted with 0.97 every time
  for (int round = 0; round < rounds; ++round, truth *= 0.985) {
    Matrix P = Matrix::Constant(4, 64, 0.01);
    P.row(2).setConstant(0.97);
    std::vector<int> outcomes;
    for (int i = 0; i < 64; ++i) {
      outcomes.push_back(rng.uniform() < truth ? 2 : std::array{0, 1, 3}[rng.below(3)]);
    }
    const Calibration::Nats nats = calibration.assess(levels, P, outcomes);
    EXPECT_EQ(calibration.predicted(levels, P), nats.predicted);
    EXPECT_GE(nats.predicted, 0.0);
    difference += (nats.predicted - nats.observed) / rounds;
    expected += nats.predicted / rounds;
    calibration.learn(levels, P, outcomes);
  }
  EXPECT_GT(expected, 0.3);
  EXPECT_NEAR(difference, 0.0, 0.012);  // 0.045 with b alone
}

// -|x - 0.3|^2 of the codes, and its slope.
class BowlSurrogate final : public SearchSurrogate {
 public:
  using SearchSurrogate::assess;
  const Assessment& assess(nn::InputRef<float> X, double, int, Workspace& workspace,
                           MatrixOf<float>* dX) const override {
    workspace.assessment.score = -(X.array() - 0.3F).square().colwise().sum().transpose();
    if (dX) *dX = (0.6F - 2.0F * X.array()).matrix() / static_cast<float>(X.cols());
    return workspace.assessment;
  }
};

// A search in a space of numbers and a category that has turned and come to a border.
struct ActionNetTest : ::testing::Test {
  Encoding encoding{parts_mixed_space()};
  Vector base = Vector::Zero(encoding.dimension());
  GaussianActor actor{encoding, 1};
  BowlSurrogate surrogate;
  Rng rng{5, "act"};

  ActionNetTest() {
    base << 0.93, 0.5, 0.0, 1.0, 0.0, 0.6;  // x, n, three choices, z
    actor.begin(base, 0.1, -1.0);
    for (int generation = 0; generation < 5; ++generation) {
      for (int i = 0; i < 12; ++i) {
        Vector code = base;
        actor.sample(code, rng);
        actor.learn(code, -std::pow(code[0] - 0.9, 2) - 9.0 * std::pow(code[5] - code[0], 2), true);
      }
      actor.advance();
    }
  }

  Matrix actions(ActionNet& net, int n) {
    std::vector<Vector> codes(static_cast<std::size_t>(n), base);
    net.act(actor, codes, rng);
    Matrix X(encoding.dimension(), n);
    for (int i = 0; i < n; ++i) X.col(i) = codes[static_cast<std::size_t>(i)];
    return X;
  }
};

TEST_F(ActionNetTest, StartsAsTheSearchItSpeaksFor) {
  ActionNet net(3, small_options(), 1);
  const int n = 4000;
  const Matrix acted = actions(net, n);
  Matrix sampled = base.replicate(1, n);
  for (int i = 0; i < n; ++i) actor.sample(sampled.col(i), rng);
  const auto covariance = [](const Matrix& X) {
    const Matrix centred = X.colwise() - X.rowwise().mean();
    return Matrix(centred * centred.transpose() / static_cast<double>(X.cols()));
  };
  const Matrix of_search = covariance(sampled);
  const double largest = of_search.diagonal().maxCoeff();
  EXPECT_LT((acted.rowwise().mean() - sampled.rowwise().mean()).cwiseAbs().maxCoeff(),
            5.0 * std::sqrt(2.0 * largest / n));
  EXPECT_LT((covariance(acted) - of_search).cwiseAbs().maxCoeff(), 0.15 * largest);
  EXPECT_EQ(acted.middleRows(2, 3), sampled.middleRows(2, 3));  // categories stay
}

TEST_F(ActionNetTest, ItsGradientIsThatOfItsObjective) {
  ActionNet net(3, small_options(), 1);
  for (float& weight : net.parameters()) weight += static_cast<float>(0.3 * rng.normal());
  MatrixOf<float> S(3, 8);
  for (float& s : S.reshaped()) s = static_cast<float>(rng.normal());
  const auto at = [&] { return net.objective(surrogate, actor, actor.axes(), base, S, 1); };
  at();
  const std::vector<float> gradient(net.gradient().begin(), net.gradient().end());
  for (std::size_t i = 0; i < gradient.size(); i += 7) {
    const float before = net.parameters()[i], h = 0.01F;
    net.parameters()[i] = before + h;
    const double up = at();
    net.parameters()[i] = before - h;
    const double slope = (up - at()) / (2.0 * h);
    net.parameters()[i] = before;
    EXPECT_NEAR(-gradient[i], slope, 2e-3 * std::max(1.0, std::abs(slope))) << i;
  }
}

TEST_F(ActionNetTest, LearnsToSuggestWhatTheSurrogateExpectsMostOf) {
  VboOptions options = small_options();
  options.action_steps = 300;
  ActionNet net(3, options, 1);
  const auto mean_score = [&](const Matrix& X) {
    return static_cast<double>(surrogate.assess(X.cast<float>(), 0.0, 1, nullptr).score.mean());
  };
  const auto deviation = [](const Matrix& X) {
    return std::sqrt((X.colwise() - X.rowwise().mean()).squaredNorm() /
                     static_cast<double>(X.cols()));
  };
  const Matrix before = actions(net, 1000);
  net.train(surrogate, actor, base, 64, 0, 1);
  const Matrix after = actions(net, 1000);
  EXPECT_GT(mean_score(after), mean_score(before) + 0.02);
  EXPECT_GT(deviation(after), 0.5 * deviation(before));  // not all of them at one place
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// The Gaussian process beside the critics, and the ablations: it in the place of one term.
#include "optim/vbo/critics/panel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "optim/vbo/failures.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

Space box() {
  return Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
}

double bump(const Point& p) {
  const double x = std::get<double>(p[0]) - 0.3, y = std::get<double>(p[1]) - 0.6;
  return -x * x - y * y;
}

VboGpOptions quick(GpRole role) {
  VboGpOptions options = vbo_ablation(role);
  options.vbo.critic_steps = 20;
  options.vbo.gp_points = 40;
  return options;
}

class GpRoles : public ::testing::TestWithParam<GpRole> {
 protected:
  // Results on a grid, critics trained a little, the GP fitted.
  GpRoles() {
    for (int i = 0; i < 64; ++i) {
      const Vector code{{(i % 8 + 0.5) / 8.0, (i / 8 + 0.5) / 8.0}};
      archive_.add(i + 1, code, bump(encoding_.decode(code)));
    }
    archive_.sort();
    const Replay replay = archive_.replay(0.25, 16);
    critics_.train(archive_, replay, coordinates_, 50, 0, 1);
    surrogate_.learn(archive_, replay, 0);
  }

  Encoding encoding_{box()};
  LocalCoordinates coordinates_{encoding_};
  Archive archive_{2};
  Networks critics_{coordinates_.inputs(), VboOptions{}, 1};
  Panel surrogate_{critics_, coordinates_, encoding_, quick(GetParam()), {.seed = 1}};
};

TEST_P(GpRoles, SlopeOfTheScore) {
  MatrixOf<float> X(2, 3), dX;
  X << 0.2F, 0.51F, 0.83F, 0.37F, 0.62F, 0.15F;
  const double weight = 0.8;
  surrogate_.assess(X, weight, 1, &dX);
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    const float h = 2e-3F;
    MatrixOf<float> up = X, down = X;
    up.data()[i] += h;
    down.data()[i] -= h;
    const double above = surrogate_.assess(up, weight, 1, nullptr).score.cast<double>().mean();
    const double below = surrogate_.assess(down, weight, 1, nullptr).score.cast<double>().mean();
    // Single precision, and ReLU critics have kinks.
    EXPECT_NEAR(dX.data()[i], (above - below) / (2.0 * h), 0.05) << i;
  }
}

TEST_P(GpRoles, ChangesOneTermAndAddsUp) {
  MatrixOf<float> X(2, 2);
  X << 0.3F, 0.95F, 0.6F, 0.05F;
  VboGpOptions networks_alone;
  networks_alone.vbo.gp_points = 0;
  networks_alone.vbo.quadratic = false;
  Panel plain(critics_, coordinates_, encoding_, networks_alone, {.seed = 1});
  const Assessment critics = plain.assess(X, 0.5, 1, nullptr);
  const Assessment& assessment = surrogate_.assess(X, 0.5, 1, nullptr);
  EXPECT_LT(
      (assessment.score - assessment.terms.row(0).transpose() -
       0.5F * assessment.terms.bottomRows(assessment.terms.rows() - 1).colwise().sum().transpose())
          .norm(),
      1e-6F);
  EXPECT_GT(assessment.terms(0, 0), assessment.terms(0, 1));  // the optimum beats a corner
  if (GetParam() == GpRole::explores) {
    ASSERT_EQ(assessment.meanings.size(), 2U);
    EXPECT_EQ(assessment.meanings[1]->weighted.name, "gp_deviation");
    EXPECT_GT(assessment.terms(1, 0), 0.0F);
  } else {
    ASSERT_EQ(assessment.meanings.size(), 3U);
    EXPECT_EQ(assessment.terms.bottomRows(2), critics.terms.bottomRows(2));
  }
  EXPECT_NE(assessment.terms(0, 0), critics.terms(0, 0));
  if (GetParam() == GpRole::exploits) {
    EXPECT_EQ(surrogate_.gp_member().weight, 1.0);
  }
}

TEST_P(GpRoles, ScoresDoNotDependOnThreads) {
  MatrixOf<float> X(2, 700);
  Rng rng(5, "gp-roles");
  for (float& x : X.reshaped()) x = static_cast<float>(rng.uniform());
  const VectorOf<float> alone = surrogate_.assess(X, 0.5, 1, nullptr).score;
  EXPECT_EQ(surrogate_.assess(X, 0.5, 3, nullptr).score, alone);
}

TEST_P(GpRoles, FindsASmoothOptimum) {
  Vbo optimizer(box(), {.seed = 2, .batch = 16}, quick(GetParam()));
  double best = -1.0;
  TrialId next = 1;
  for (int round = 0; round < 8; ++round) {
    std::vector<TrialId> ids;
    for (int i = 0; i < 16; ++i) ids.push_back(next++);
    std::vector<Trial> results;
    for (const Suggestion& s : optimizer.ask(ids)) {
      Trial trial;
      trial.id = ids[results.size()];
      trial.point = s.point;
      trial.state = TrialState::completed;
      trial.values = {bump(s.point)};
      best = std::max(best, *trial.value());
      results.push_back(trial);
    }
    optimizer.tell(results);
  }
  EXPECT_GT(best, -1e-3);
}

INSTANTIATE_TEST_SUITE_P(Terms, GpRoles,
                         ::testing::Values(GpRole::assists, GpRole::explores, GpRole::exploits));

// Ranks would bend a straight line at the top, where most of the scores are.
TEST(Panel, LearnsTheDistancesOfGoodResults) {
  const Encoding encoding(Space::make({Parameter::real("x", 0, 1)}).value());
  const LocalCoordinates coordinates(encoding);
  Networks critics(coordinates.inputs(), VboOptions{}, 1);
  Panel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
  Archive archive(1);
  for (int i = 0; i < 40; ++i) {
    const double x = (i + 0.5) / 40.0;
    archive.add(i + 1, Vector::Constant(1, x), i == 3 ? -1e9 : 5.0 * x);  // and one outlier below
  }
  archive.sort();
  surrogate.learn(archive, archive.replay(0.25, 8), 0);
  MatrixOf<float> X(1, 3);
  X << 0.6F, 0.78F, 0.96F;
  const Assessment& assessment = surrogate.assess(X, 0.0, 1, nullptr);
  const float lower = assessment.terms(0, 1) - assessment.terms(0, 0),
              upper = assessment.terms(0, 2) - assessment.terms(0, 1);
  EXPECT_GT(lower, 0.1F);
  EXPECT_GT(upper / lower, 0.5F);
  EXPECT_LT(upper / lower, 3.0F);  // bent a little because of the outlier; with ranks: 8
}

// Outcomes that fall over six decades: only bent they say how the good ones differ.
TEST(Panel, BendsOutcomesOfManyDecades) {
  const Encoding encoding(box());
  const LocalCoordinates coordinates(encoding);
  Networks critics(coordinates.inputs(), VboOptions{}, 1);
  Panel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
  Archive archive(2);
  Rng rng(4, "points");
  const auto valley = [](const Vector& x) {
    return -std::exp(14.0 * (Vector{{0.3, 0.6}} - x).norm());
  };
  for (int i = 0; i < 40; ++i) {
    const Vector code{{rng.uniform(), rng.uniform()}};
    archive.add(i + 1, code, valley(code));
  }
  archive.sort();
  for (int round = 0; round < 3; ++round) surrogate.learn(archive, archive.replay(0.25, 16), round);
  // Order of new points near the bottom, where outcomes are a thousandth of the range.
  int right = 0, pairs = 0;
  for (int i = 0; i < 100; ++i, ++pairs) {
    const auto near = [&] {
      return Vector{{0.3 + 0.25 * (rng.uniform() - 0.5), 0.6 + 0.25 * (rng.uniform() - 0.5)}};
    };
    const Vector a = near(), b = near();
    MatrixOf<float> X(2, 2);
    X << a.cast<float>(), b.cast<float>();
    const Assessment& assessment = surrogate.assess(X, 0.0, 1, nullptr);
    right += (assessment.terms(0, 0) > assessment.terms(0, 1)) == (valley(a) > valley(b));
  }
  EXPECT_GT(right, 80) << "of " << pairs;
}

// The GP hears of results alone: a cliff would be taken for the shape of the whole function.
// What keeps suggestions away from failures is the model of success, which hears of all.
TEST(Panel, FailuresAreLeftToTheModelOfSuccess) {
  const Encoding encoding(
      Space::make({Parameter::real("x", 0, 1), Parameter::categorical("c", {"fine", "fails"})})
          .value());
  const LocalCoordinates coordinates(encoding);
  Networks critics(coordinates.inputs(), VboOptions{}, 1);
  Panel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
  Archive archive(3);
  Failures failures(encoding, 1, 1);
  for (int i = 0; i < 32; ++i) {
    const bool fails = i % 5 < 3;
    const double x = (i + 0.5) / 32.0;
    archive.add(i + 1, Vector{{x, fails ? 0.0 : 1.0, fails ? 1.0 : 0.0}},
                fails ? -std::numeric_limits<double>::infinity() : x);
    Trial trial{.id = i + 1};
    trial.state = fails ? TrialState::failed : TrialState::completed;
    if (fails) trial.failure = Failure{FailureCause::crash, "as expected"};
    if (!fails) trial.values = {x};
    failures.add(trial);
  }
  failures.learn(archive, archive.size());
  archive.sort();
  surrogate.learn(archive, archive.replay(0.25, 32), 0);
  MatrixOf<float> X(3, 4);  // fine ones, the better the later, then failing ones
  X << 0.2F, 0.9F, 0.5F, 0.9F, 1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F;
  const Assessment& assessment = surrogate.assess(X, 0.0, 1, nullptr);
  EXPECT_GT(assessment.terms(0, 1), assessment.terms(0, 0) + 0.5F);
  ASSERT_TRUE(failures.known());
  std::vector<Vector> codes;
  for (const auto& column : X.colwise()) codes.emplace_back(column.cast<double>());
  const Vector p = failures.success_probability(codes);
  EXPECT_GT(p.head(2).minCoeff(), 0.7);
  EXPECT_LT(p.tail(2).maxCoeff(), 0.3);
}

// The networks are untrained and the results are those of a bump: the weight goes to the critics
// that predict it. A state that was stored and read back goes on alike.
TEST(Panel, WeightGoesToWhatPredictsTheResults) {
  const Encoding encoding(box());
  const LocalCoordinates coordinates(encoding);
  Networks networks(coordinates.inputs(), VboOptions{}, 1);
  VboGpOptions options = quick(GpRole::assists);
  options.vbo.quadratic = false;
  Panel panel(networks, coordinates, encoding, options, {.seed = 1});
  Archive archive(2);
  Rng rng(3, "points");
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const Vector code{{rng.uniform(), rng.uniform()}};
      archive.add(archive.size() + 1, code, bump(encoding.decode(code)));
    }
    archive.sort();
  };
  add(40);
  panel.learn(archive, archive.replay(0.25, 16), 0);
  const double before = panel.weight("gp");
  const auto play = [&](Panel& of, int results, int round) {
    Matrix X(2, results);
    std::vector<int> levels;
    for (int i = 0; i < results; ++i) {
      const int index = archive.size() - results + i;
      X.col(i) = archive.code(index);
      levels.push_back(of.levels().level_of(archive.value(index)));
    }
    const Matrix P = of.examine(X, levels, 1);
    EXPECT_LT((P.colwise().sum().array() - 1.0).abs().maxCoeff(), 1e-5);
    of.learn(archive, archive.replay(0.25, 16), round);
  };
  for (int round = 1; round < 4; ++round) {
    add(16);
    play(panel, 16, round);
  }
  EXPECT_GT(panel.weight("gp"), before);
  EXPECT_GT(panel.weight("gp"), 10.0 * panel.weight("networks"));

  StateWriter out;
  panel.write(out);
  const std::string bytes = out.take();
  Panel again(networks, coordinates, encoding, options, {.seed = 1});
  StateReader in(bytes);
  again.read(in);
  ASSERT_TRUE(in.complete());
  again.learn(archive, archive.replay(0.25, 16), 3);
  EXPECT_EQ(again.weight("gp"), panel.weight("gp"));
  MatrixOf<float> X(2, 2);
  X << 0.3F, 0.95F, 0.6F, 0.05F;
  EXPECT_EQ(again.assess(X, 0.5, 1).score, panel.assess(X, 0.5, 1).score);
  add(8);
  for (Panel* both : {&panel, &again}) play(*both, 8, 4);
  EXPECT_EQ(again.weight("gp"), panel.weight("gp"));
}

// Critics with known predictions: EM reaches the weights of largest likelihood, results that a
// critic does not cover change nothing for it, and old results are forgotten.
TEST(PanelWeights, MaximizeTheInformationOfTheMixture) {
  const Vector prior = Vector::Constant(3, 0.5);
  PanelWeights weights(prior, 100);
  EXPECT_EQ(weights.weights(), Vector(Vector::Constant(3, 1.0 / 3.0)));
  Matrix T(3, 80);
  T.row(0).setConstant(1.0);   // a nat above the marginal
  T.row(1).setConstant(-2.0);  // confident and wrong
  T.row(2).setZero();          // the marginal
  weights.learn(T);
  EXPECT_GT(weights.weights()[0], 0.95);
  EXPECT_NEAR(weights.weights().sum(), 1.0, 1e-12);
  EXPECT_NEAR(weights.information()[0], 1.0, 1e-12);
  // The gradient of the objective is the same for all weights at the maximum.
  const Vector& w = weights.weights();
  const double mixture = w.dot(T.col(0).array().exp().matrix());
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double slope = 80.0 * std::exp(T(k, 0)) / mixture + prior[k] / w[k];
    EXPECT_NEAR(slope, 80.0 + prior.sum(), 0.5) << k;
  }
  const double share = w[1] / (w[1] + w[2]);
  Matrix elsewhere = T.leftCols(20);
  elsewhere.row(0).setConstant(PanelWeights::kNotCovered);
  weights.learn(elsewhere);
  EXPECT_GT(weights.weights()[0], 0.9);
  EXPECT_LE(weights.weights()[1] / (weights.weights()[1] + weights.weights()[2]), share);
  T.row(0).swap(T.row(1));
  weights.learn(T);
  weights.learn(T);  // the first hundred are gone
  EXPECT_GT(weights.weights()[1], 0.95);

  StateWriter out;
  weights.write(out);
  const std::string bytes = out.take();
  PanelWeights again(prior, 100);
  StateReader in(bytes);
  again.read(in);
  ASSERT_TRUE(in.complete());
  EXPECT_EQ(again.weights(), weights.weights());
}

}  // namespace
}  // namespace vbo

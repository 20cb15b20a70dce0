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
  Critics critics_{coordinates_.inputs(), VboOptions{}, 1};
  SurrogatePanel surrogate_{critics_, coordinates_, encoding_, quick(GetParam()), {.seed = 1}};
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
  CriticSurrogate plain(critics_, coordinates_);
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
  EXPECT_EQ(surrogate_.gp_weight(), GetParam() == GpRole::exploits ? 1.0 : 0.9);
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
TEST(SurrogatePanel, LearnsTheDistancesOfGoodResults) {
  const Encoding encoding(Space::make({Parameter::real("x", 0, 1)}).value());
  const LocalCoordinates coordinates(encoding);
  Critics critics(coordinates.inputs(), VboOptions{}, 1);
  SurrogatePanel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
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
TEST(SurrogatePanel, BendsOutcomesOfManyDecades) {
  const Encoding encoding(box());
  const LocalCoordinates coordinates(encoding);
  Critics critics(coordinates.inputs(), VboOptions{}, 1);
  SurrogatePanel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
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
TEST(SurrogatePanel, FailuresAreLeftToTheModelOfSuccess) {
  const Encoding encoding(
      Space::make({Parameter::real("x", 0, 1), Parameter::categorical("c", {"fine", "fails"})})
          .value());
  const LocalCoordinates coordinates(encoding);
  Critics critics(coordinates.inputs(), VboOptions{}, 1);
  SurrogatePanel surrogate(critics, coordinates, encoding, quick(GpRole::exploits), {.seed = 1});
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

// Results that follow one of the two opinions move the weight to it; so does a state that was
// stored and read back.
TEST(SurrogatePanel, WeightGoesToWhoeverPredictsTheResults) {
  const Encoding encoding(box());
  const LocalCoordinates coordinates(encoding);
  Critics critics(coordinates.inputs(), VboOptions{}, 1);  // untrained: they know nothing
  SurrogatePanel surrogate(critics, coordinates, encoding, quick(GpRole::assists), {.seed = 1});
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
  surrogate.learn(archive, archive.replay(0.25, 16), 0);
  EXPECT_EQ(surrogate.gp_weight(), 0.9);
  const auto play = [&](int results, int round) {
    add(results);
    std::vector<int> fresh(static_cast<std::size_t>(results));
    std::iota(fresh.begin(), fresh.end(), archive.size() - results);
    surrogate.examine(archive, archive.replay(0.25, 16), fresh, 1);
    surrogate.learn(archive, archive.replay(0.25, 16), round);
  };
  for (int round = 1; round < 4; ++round) play(16, round);
  EXPECT_GT(surrogate.gp_weight(), 0.85);
  const double before = surrogate.gp_weight();
  play(5, 4);  // too few to tell: they wait
  EXPECT_EQ(surrogate.gp_weight(), before);

  StateWriter out;
  surrogate.write(out);
  const std::string bytes = out.take();
  SurrogatePanel again(critics, coordinates, encoding, quick(GpRole::assists), {.seed = 1});
  StateReader in(bytes);
  again.read(in);
  ASSERT_TRUE(in.complete());
  again.learn(archive, archive.replay(0.25, 16), 4);
  EXPECT_EQ(again.gp_weight(), before);
  MatrixOf<float> X(2, 2);
  X << 0.3F, 0.95F, 0.6F, 0.05F;
  EXPECT_EQ(again.assess(X, 0.5, 1).score, surrogate.assess(X, 0.5, 1).score);
  play(3, 5);
  EXPECT_NE(surrogate.gp_weight(), before);
}

}  // namespace
}  // namespace vbo

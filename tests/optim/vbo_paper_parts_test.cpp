// SPDX-License-Identifier: MIT
// The action-net's maps and the sequences the helper is trained on.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "nn/init.hpp"
#include "numerics/finite_difference.hpp"
#include "optim/vbo_paper/actor.hpp"
#include "optim/vbo_paper/histories.hpp"
#include "optim/vbo_paper/lens.hpp"

namespace vbo {
namespace {

Space numbers(int n) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < n; ++i) parameters.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  return Space::make(parameters).value();
}

TEST(Reflect, FoldsTheLineIntoTheBoxWithSlopeOne) {
  for (const auto& [u, x, slope] : {std::array{0.3, 0.3, 1.0},
                                    {1.2, 0.8, -1.0},
                                    {-0.1, 0.1, -1.0},
                                    {2.4, 0.4, 1.0},
                                    {-1.7, 0.3, 1.0},
                                    {7.25, 0.75, -1.0},
                                    {-1e6 - 0.25, 0.25, -1.0}}) {
    double found = 0.0;
    EXPECT_NEAR(reflect(u, &found), x, 1e-9) << u;
    EXPECT_EQ(found, slope) << u;
  }
  EXPECT_EQ(reflect(0.0), 0.0);
  EXPECT_EQ(reflect(1.0), 1.0);
}

class ActorMaps : public ::testing::TestWithParam<ActionMap> {};

// d sum(C X) / d parameters, through the map; the network is moved far enough to leave the box.
TEST_P(ActorMaps, GradientByParameters) {
  const Encoding encoding(numbers(3));
  Actor<double> actor(encoding, {.map = GetParam(), .hidden = 4}, 1);
  Rng rng(2, "weights");
  for (double& w : actor.net().parameters()) w = 0.7 * rng.normal();
  const Matrix S = actor.seeds(5, rng), C = actor.seeds(5, rng);
  const auto objective = [&](ConstVectorRef theta) {
    std::copy(theta.begin(), theta.end(), actor.net().parameters().begin());
    return actor.act(S).cwiseProduct(C).sum();
  };
  const Vector theta = Eigen::Map<const Vector>(
      actor.net().parameters().data(), static_cast<Eigen::Index>(actor.net().parameters().size()));
  objective(theta);
  actor.net().backward(actor.pull_back(C));
  const Vector analytic = Eigen::Map<const Vector>(actor.net().gradient().data(), theta.size());
  EXPECT_GT(analytic.norm(), 0.1);
  const auto found = compare_gradient(objective, theta, analytic);
  EXPECT_TRUE(found.matches) << found.text;
}

TEST_P(ActorMaps, StartsUniform) {
  const Encoding encoding(Space::make({Parameter::real("x", 0, 1), Parameter::integer("n", 1, 9),
                                       Parameter::categorical("c", {"a", "b", "c", "d"})})
                              .value());
  Actor<double> actor(encoding, {.map = GetParam()}, 1);
  Rng rng(2, "seeds");
  constexpr int N = 4000;
  const Matrix X = actor.act(actor.seeds(N, rng));
  for (Eigen::Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(X.row(i).mean(), 0.5, 4.0 * std::sqrt(1.0 / 12.0 / N));
    EXPECT_NEAR((X.row(i).array() < 0.1).cast<double>().mean(), 0.1, 4.0 * std::sqrt(0.09 / N));
  }
  for (Eigen::Index i = 2; i < 6; ++i) {
    EXPECT_NEAR(X.row(i).mean(), 0.25, 4.0 * std::sqrt(0.25 * 0.75 / N));
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, ActorMaps, ::testing::Values(ActionMap::reflect, ActionMap::squash));

// Pushed against the border for long, then called back: the reflecting map returns.
TEST(Actor, ReflectedActionsAreNotTrapped) {
  const Encoding encoding(numbers(1));
  const auto distance_after = [&](ActionMap map) {
    Actor<double> actor(encoding, {.map = map, .hidden = 16, .learning_rate = 0.01}, 1);
    Rng rng(3, "seeds");
    const auto pull = [&](double target, int steps) {
      for (int i = 0; i < steps; ++i) {
        const Matrix X = actor.act(actor.seeds(32, rng));
        actor.ascend((target - X.array()).sign().matrix() / 32.0);
      }
    };
    pull(1.0, 300);
    pull(0.4, 150);
    return (actor.act(actor.seeds(64, rng)).array() - 0.4).abs().mean();
  };
  EXPECT_LT(distance_after(ActionMap::reflect), 0.05);
  EXPECT_GT(distance_after(ActionMap::squash), 0.2);
}

// A reward for one category makes it the usual choice.
TEST(Actor, LearnsCategories) {
  const Encoding encoding(
      Space::make({Parameter::categorical("c", {"a", "b", "c", "d", "e"})}).value());
  Actor<double> actor(encoding, {.hidden = 16}, 1);
  Rng rng(3, "seeds");
  Matrix reward = Matrix::Zero(5, 32);
  reward.row(3).setConstant(1.0 / 32.0);
  for (int i = 0; i < 200; ++i) {
    actor.act(actor.seeds(32, rng));
    actor.ascend(reward);
  }
  EXPECT_GT(actor.act(actor.seeds(500, rng)).row(3).mean(), 0.9);
}

// Instead of a repeat one category changes: that of which the net is less certain, at first.
TEST(Actor, ChangesOneCategoryInsteadOfRepeating) {
  const Encoding encoding(
      Space::make({Parameter::categorical("sure", {"a", "b", "c"}),
                   Parameter::categorical("unsure", {"a", "b", "c"}), Parameter::real("x", 0, 1)})
          .value());
  Actor<double> actor(encoding, {.hidden = 16}, 1);
  Rng rng(3, "seeds");
  Matrix reward = Matrix::Zero(7, 32);
  reward.row(1).setConstant(1.0 / 32.0);
  for (int i = 0; i < 400; ++i) {
    actor.act(actor.seeds(32, rng));
    actor.ascend(reward);
  }
  int changed_sure = 0, changed_unsure = 0, both = 0;
  for (int i = 0; i < 400; ++i) {
    const Matrix seed = actor.seeds(1, rng);
    const Matrix before = actor.act(seed), after = actor.act_anew(seed, 1, rng);
    EXPECT_DOUBLE_EQ(after.topRows(3).sum(), 1.0);
    EXPECT_DOUBLE_EQ(after.middleRows(3, 3).sum(), 1.0);
    EXPECT_NE(before(6, 0), after(6, 0));
    const bool sure = before.topRows(3) != after.topRows(3);
    const bool unsure = before.middleRows(3, 3) != after.middleRows(3, 3);
    EXPECT_TRUE(sure || unsure);
    changed_sure += sure;
    changed_unsure += unsure;
    both += sure && unsure;
  }
  EXPECT_EQ(both, 0);
  EXPECT_GT(changed_unsure, 4 * changed_sure);
  // Much later everything may change, several categories at once.
  for (int i = 0; i < 100; ++i) {
    const Matrix seed = actor.seeds(1, rng);
    const Matrix before = actor.act(seed), after = actor.act_anew(seed, 60, rng);
    both +=
        before.topRows(3) != after.topRows(3) && before.middleRows(3, 3) != after.middleRows(3, 3);
  }
  EXPECT_GT(both, 10);
}

// ---- sequences ----------------------------------------------------------------------------------

// Result i of round t has the input t + i / 100 and the outcome 10 t + i.
Histories numbered(Eigen::Index rounds, Eigen::Index slots) {
  Histories h{MatrixOf<float>(1, rounds * slots), VectorOf<float>(rounds * slots), slots};
  for (Eigen::Index t = 0; t < rounds; ++t) {
    for (Eigen::Index i = 0; i < slots; ++i) {
      h.X(0, t * slots + i) = static_cast<float>(t) + 0.01F * static_cast<float>(i);
      h.y[t * slots + i] = static_cast<float>(10 * t + i);
    }
  }
  return h;
}

// The slot that an input came from, and its round.
std::pair<int, int> origin(float u) {
  const int hundredths = static_cast<int>(std::lround(100.0F * u));
  return {hundredths % 100, hundredths / 100};
}

TEST(Histories, EverySequenceTakesOneResultOfEachRound) {
  const Histories h = numbered(5, 8);
  for (const bool shuffled : {false, true}) {
    Rng rng(1, "draw");
    const HistoryOptions options{.shuffled = shuffled, .window = 3, .pairs = 12, .references = 2};
    int moved = 0;
    for (int draw = 0; draw < 20; ++draw) {
      const HelperWindow<float> w = h.draw(options, rng);
      ASSERT_EQ(w.sequence.batch, 4);
      ASSERT_EQ(w.sequence.steps, 3);
      ASSERT_EQ(w.U.cols(), 3 * 4 * 3);
      const Eigen::Index before = w.before.cols() / 4;
      for (Eigen::Index q = 0; q < 4; ++q) {
        std::vector<Eigen::VectorXf> heard;
        for (Eigen::Index t = 0; t < before; ++t) heard.push_back(w.before.col(t * 4 + q));
        for (Eigen::Index t = 0; t < 3; ++t) heard.push_back(w.U.col(t * 12 + q));
        const int slot = origin(heard[0][0]).first;
        for (std::size_t t = 0; t < heard.size(); ++t) {
          const auto [i, round] = origin(heard[t][0]);
          EXPECT_EQ(round, static_cast<int>(t));
          EXPECT_EQ(heard[t][1], static_cast<float>(10 * round + i));  // its own outcome
          moved += i != slot;
        }
      }
    }
    EXPECT_EQ(moved > 0, shuffled);
  }
}

TEST(Histories, ReferencesKeepTheInputAndTakeOtherOutcomes) {
  const Histories h = numbered(3, 4);
  const auto own_share = [&](Negatives negatives) {
    Rng rng(1, "draw");
    double own = 0, all = 0;
    for (int draw = 0; draw < 50; ++draw) {
      const HelperWindow<float> w =
          h.draw({.negatives = negatives, .pairs = 12, .references = 6}, rng);
      const Eigen::Index B = w.sequence.batch;
      std::multiset<float> outcomes;
      for (Eigen::Index c = 0; c < w.U.cols(); ++c) {
        const Eigen::Index branch = c % w.sequence.step_columns() / B;
        if (branch == 0) continue;
        const auto [i, round] = origin(w.U(0, c));
        own += w.U(1, c) == static_cast<float>(10 * round + i);
        all += 1;
        outcomes.insert(w.U(1, c));
      }
      if (negatives == Negatives::shuffle) {
        EXPECT_EQ(outcomes, std::multiset<float>(h.y.begin(), h.y.end()));
      }
    }
    return own / all;
  };
  EXPECT_EQ(own_share(Negatives::off_diagonal), 0.0);
  EXPECT_NEAR(own_share(Negatives::all_pairs), 1.0 / 12.0, 0.03);
  EXPECT_NEAR(own_share(Negatives::shuffle), 1.0 / 12.0, 0.06);
}

TEST(Histories, LevelsAreQuantiles) {
  const VectorOf<float> levels = numbered(2, 8).levels(4);  // of 0..7 and 10..17
  EXPECT_EQ(levels, (VectorOf<float>{{2.0F, 6.0F, 12.0F, 16.0F}}));
}

// However narrow and tilted the best results lie, they are seen at size one, and the rest at the
// rim.
TEST(Lens, SeesTheBestResultsAtSizeOne) {
  const Encoding encoding(Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1),
                                       Parameter::categorical("c", {"a", "b"})})
                              .value());
  Histories h{MatrixOf<float>::Zero(4, 600), VectorOf<float>(600), 8};
  Rng rng(1, "lens");
  for (Eigen::Index i = 0; i < 600; ++i) {
    const bool good = i % 6 == 0;
    const auto along = static_cast<float>(good ? 0.02 * rng.normal() : rng.uniform(-0.3, 0.6));
    const auto across = static_cast<float>(good ? 0.005 * rng.normal() : rng.uniform(-0.3, 0.3));
    h.X.col(i) << 0.3F + along + across, 0.3F + along - across, 1.0F, 0.0F;
    h.y[i] = good ? 1.5F : -1.0F;
  }
  for (const LensKind kind : {LensKind::axes, LensKind::full}) {
    Lens lens(encoding, kind);
    lens.move(h);
    const MatrixOf<float> seen = lens.seen(h).X;
    ASSERT_EQ(seen.rows(), 4 + 2);
    EXPECT_TRUE(seen.topRows(4).isApprox(2.0F * h.X - MatrixOf<float>::Ones(4, 600)));
    Matrix best(2, 100);
    for (Eigen::Index i = 0; i < 100; ++i)
      best.col(i) = seen.bottomRows(2).col(6 * i).cast<double>();
    const Vector mean = best.rowwise().mean();
    const Matrix C = (best.colwise() - mean) * (best.colwise() - mean).transpose() / 100.0;
    EXPECT_LT(mean.norm(), 0.1);
    EXPECT_NEAR(C(0, 0), 0.8, 0.25);  // tanh pulls the tails in
    EXPECT_NEAR(C(1, 1), 0.8, 0.25);
    // Tilted, as seen along the axes; whitened it is round.
    EXPECT_NEAR(C(0, 1), kind == LensKind::full ? 0.0 : 0.7, 0.25);
  }
  EXPECT_EQ(Lens(encoding, LensKind::none).coordinates().inputs(), 4);
}

// Where there are no numbers there is nothing to look at more closely.
TEST(Lens, LeavesCategoriesAlone) {
  const Encoding encoding(Space::make({Parameter::categorical("c", {"a", "b"})}).value());
  Lens lens(encoding, LensKind::full);
  const Histories h{MatrixOf<float>::Ones(2, 8), VectorOf<float>::Constant(8, 2.0F), 8};
  lens.move(h);
  EXPECT_EQ(lens.seen(h).X, h.X);
}

}  // namespace
}  // namespace vbo

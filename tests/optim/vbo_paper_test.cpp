// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/vbo_paper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "numerics/finite_difference.hpp"

namespace vbo {
namespace {

using Function = std::function<double(const Point&)>;

double real(const Point& point, std::size_t i) { return std::get<double>(point[i]); }

Space unit_box(int n) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < n; ++i) parameters.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  return Space::make(parameters).value();
}

double branin(const Point& point) {
  const double x = 15.0 * real(point, 0) - 5.0, y = 15.0 * real(point, 1);
  constexpr double pi = std::numbers::pi;
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
  return -(a * a + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * std::cos(x) + 10.0);
}

Trial told(TrialId id, const Point& point, double value) {
  Trial trial;
  trial.id = id;
  trial.point = point;
  trial.state = TrialState::completed;
  trial.values = {value};
  return trial;
}

struct Played {
  std::vector<double> batch_means;
  std::vector<Suggestion> last;
};

Played play(Optimizer& optimizer, const Function& f, int batch, int rounds) {
  Played played;
  TrialId next = 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<TrialId> ids;
    for (int i = 0; i < batch; ++i) ids.push_back(next++);
    played.last = optimizer.ask(ids);
    std::vector<Trial> results;
    double sum = 0.0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      results.push_back(told(ids[i], played.last[i].point, f(played.last[i].point)));
      sum += *results.back().value();
    }
    optimizer.tell(results);
    played.batch_means.push_back(sum / batch);
  }
  return played;
}

double mean_of(const std::vector<double>& values, std::size_t from) {
  double sum = 0.0;
  for (std::size_t i = from; i < values.size(); ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - from);
}

double hartmann3(const Point& point) {
  constexpr double alpha[] = {1.0, 1.2, 3.0, 3.2};
  constexpr double A[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  constexpr double P[4][3] = {{0.3689, 0.1170, 0.2673},
                              {0.4699, 0.4387, 0.7470},
                              {0.1091, 0.8732, 0.5547},
                              {0.0381, 0.5743, 0.8828}};
  double sum = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    double exponent = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      exponent += A[k][i] * (real(point, i) - P[k][i]) * (real(point, i) - P[k][i]);
    }
    sum += alpha[k] * std::exp(-exponent);
  }
  return sum;
}

// The main phase's reward is far above that of uniform sampling, at the end more than on the way,
// and the actions are not in the corner that the squashing map restarts into.
TEST(VboPaper, LearnsFromTheFirstRoundOn) {
  constexpr int kBatch = 32, kRounds = 16;
  for (const auto& [f, dimension, optimum] :
       {std::tuple<Function, int, double>{branin, 2, -0.397887}, {hartmann3, 3, 3.86278}}) {
    VboPaper optimizer(unit_box(dimension), {.seed = 1, .batch = kBatch}, VboPaperOptions{});
    const Played played = play(optimizer, f, kBatch, kRounds);
    const std::vector<double>& means = played.batch_means;
    const auto closed = [&, uniform = means[0], best = optimum](double reward) {
      return (reward - uniform) / (best - uniform);  // share of the way from uniform to optimal
    };
    EXPECT_GT(closed(mean_of(means, 1)), 0.6) << "dimension " << dimension;
    EXPECT_GT(closed(mean_of(means, kRounds - 4)), 0.7) << "dimension " << dimension;
    int cornered = 0;
    for (const Suggestion& s : played.last) {
      bool corner = true;
      for (int i = 0; i < dimension; ++i) {
        const double x = real(s.point, static_cast<std::size_t>(i));
        corner = corner && std::min(x, 1.0 - x) < 0.01;
      }
      cornered += corner;
    }
    EXPECT_LT(cornered, kBatch / 4) << "dimension " << dimension;
  }
}

// Twelve categories of four choices, one right each: uniform sampling gets 3 of 12 right.
TEST(VboPaper, LearnsCategories) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 12; ++i)
    parameters.push_back(Parameter::categorical("c" + std::to_string(i), {"a", "b", "c", "d"}));
  const Space space = Space::make(parameters).value();
  const auto right = [](const Point& point) {
    double sum = 0.0;
    for (std::size_t i = 0; i < point.size(); ++i)
      sum += std::get<std::string>(point[i])[0] == "abcd"[i % 4];
    return sum;
  };
  VboPaper optimizer(space, {.seed = 1, .batch = 32}, VboPaperOptions{});
  const std::vector<double> means = play(optimizer, right, 32, 12).batch_means;
  EXPECT_NEAR(means[0], 3.0, 1.0);
  EXPECT_GT(mean_of(means, 9), 6.0);  // twice as many as uniform
}

// What the paper prints: learning rate 0.002, K_a = 1, K_b = 5, 20 warm-up batches, H = 64.
TEST(VboPaper, LiteralIsAsPrinted) {
  const VboPaperOptions o = vbo_paper_literal();
  EXPECT_EQ(std::tuple(o.learning_rate, o.action_rate, o.critic_steps, o.action_steps, o.hidden),
            std::tuple(0.002, 0.002, 1, 5, 64));
  EXPECT_EQ(std::tuple(o.warm_up, o.warm_up_steps, o.head_start), std::tuple(20, 1, false));
  EXPECT_EQ(std::tuple(o.helper, o.bound, o.negatives),
            std::tuple(VboPaperOptions::Network::lstm, Estimator::dv, Negatives::all_pairs));
  const auto made =
      make_optimizer(unit_box(2), {.method = "vbo-paper-literal", .batch = 8}).value();
  const Played played = play(*made, branin, 8, 22);
  EXPECT_EQ(played.last[0].rationale.source, "action-net");  // since round 21
  EXPECT_EQ(made->report().round, 22);
}

Space paper_mixed_space() {
  return Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 40),
                      Parameter::categorical("c", {"a", "b", "c"})})
      .value();
}

double mixed(const Point& point) {
  return real(point, 0) + 0.01 * static_cast<double>(std::get<std::int64_t>(point[1]));
}

VboPaperOptions quick_options() {
  VboPaperOptions options;
  options.hidden = 8;
  options.warm_up = 2;
  options.warm_up_steps = 2;
  return options;
}

class VboPaperPieces
    : public ::testing::TestWithParam<std::tuple<VboPaperOptions::Network, Estimator, Negatives>> {
};

TEST_P(VboPaperPieces, WorkTogether) {
  VboPaperOptions options = quick_options();
  std::tie(options.helper, options.bound, options.negatives) = GetParam();
  VboPaper optimizer(paper_mixed_space(), {.seed = 3, .batch = 8}, options);
  const Played played = play(optimizer, mixed, 8, 6);
  for (const Suggestion& s : played.last) {
    EXPECT_TRUE(paper_mixed_space().check(s.point));
    EXPECT_EQ(s.rationale.source, "action-net");
    ASSERT_EQ(s.rationale.terms.size(), 2U);
    EXPECT_TRUE(std::isfinite(s.rationale.acquisition.value()));
  }
  const AskReport report = optimizer.report();
  EXPECT_EQ(report.round, 6);
  ASSERT_TRUE(report.information && report.information->ceiling);
  EXPECT_GE(report.information->predicted.value(), 0.0);
  EXPECT_LE(*report.information->predicted, *report.information->ceiling);
}

INSTANTIATE_TEST_SUITE_P(
    Options, VboPaperPieces,
    ::testing::Combine(
        ::testing::Values(VboPaperOptions::Network::lstm, VboPaperOptions::Network::mlp),
        ::testing::Values(Estimator::dv, Estimator::self_normalized),
        ::testing::Values(Negatives::shuffle, Negatives::all_pairs, Negatives::off_diagonal)));

TEST(VboPaper, ResultsMayComeInAnyOrderAndNumber) {
  const auto run = [](bool backwards) {
    VboPaper optimizer(paper_mixed_space(), {.seed = 3, .batch = 8}, quick_options());
    std::vector<Point> points;
    for (TrialId first = 1; first < 40; first += 8) {
      std::vector<TrialId> ids;
      for (TrialId id = first; id < first + 8; ++id) ids.push_back(id);
      const std::vector<Suggestion> asked = optimizer.ask(ids);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::size_t at = backwards ? ids.size() - 1 - i : i;
        points.push_back(asked[i].point);
        Trial trial = told(ids[at], asked[at].point, mixed(asked[at].point));
        if (ids[at] % 5 == 0) {
          trial.state = TrialState::failed;
          trial.values.clear();
        }
        optimizer.tell(std::span(&trial, 1));
      }
    }
    return points;
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(VboPaper, WarmUpIsBoundedByTheBudget) {
  const auto warm_up = [](std::int64_t budget) {
    return VboPaper(paper_mixed_space(), {.batch = 64, .budget = budget}, vbo_paper_literal())
        .warm_up();
  };
  EXPECT_EQ(warm_up(0), 20);
  EXPECT_EQ(warm_up(64 * 100), 20);
  EXPECT_EQ(warm_up(64 * 20), 10);
  EXPECT_EQ(warm_up(30), 1);
}

// A space-filling round predicts nothing: the stop rule would take 0 nats for an end.
TEST(VboPaper, WarmUpPredictsNothing) {
  VboPaperOptions options = vbo_paper_literal();
  options.hidden = 8;
  options.warm_up = 3;
  VboPaper optimizer(paper_mixed_space(), {.seed = 3, .batch = 8}, options);
  play(optimizer, mixed, 8, 2);
  EXPECT_EQ(optimizer.report().round, 2);
  EXPECT_FALSE(optimizer.report().information || optimizer.report().exploitation);
  VboPaper longer(paper_mixed_space(), {.seed = 3, .batch = 8}, options);
  play(longer, mixed, 8, 5);
  EXPECT_TRUE(longer.report().information && longer.report().exploitation);
}

VboPaper made_quickly(GpTerm replaced) {
  return {paper_mixed_space(),
          {.seed = 3, .batch = 8},
          VboPaperGpOptions{.paper = quick_options(), .replaced = replaced}};
}

class VboPaperTerms : public ::testing::TestWithParam<GpTerm> {};

TEST_P(VboPaperTerms, ReplacedTermsAreNamedAndAddUp) {
  VboPaper optimizer = made_quickly(GetParam());
  const Played played = play(optimizer, mixed, 8, 6);
  for (const Suggestion& s : played.last) {
    ASSERT_GE(s.rationale.terms.size(), 2U);
    EXPECT_EQ(s.rationale.terms[0].name, "exploitation");
    EXPECT_EQ(s.rationale.terms[1].name,
              GetParam() == GpTerm::exploration ? "gp_deviation" : "information_inputs");
    EXPECT_NEAR(s.rationale.acquisition.value(),
                s.rationale.terms[0].value + s.rationale.terms[1].value, 1e-5);
  }
}

// Restored in the middle of a round, it goes on as if it had never stopped.
TEST_P(VboPaperTerms, RestoredStateContinuesExactly) {
  VboPaper first = made_quickly(GetParam());
  std::vector<Trial> history;
  const auto advance = [&](VboPaper& optimizer, TrialId from, TrialId to) {
    std::vector<Point> points;
    for (TrialId id = from; id < to; ++id) {
      points.push_back(optimizer.ask(std::span(&id, 1))[0].point);
      Trial trial = told(id, points.back(), mixed(points.back()));
      trial.told_in = id;
      optimizer.tell(std::span(&trial, 1));
      if (&optimizer == &first) history.push_back(trial);
    }
    return points;
  };
  advance(first, 1, 38);
  VboPaper second = made_quickly(GetParam());
  ASSERT_TRUE(second.restore(first.snapshot(), history));
  EXPECT_TRUE(second.snapshot() == first.snapshot());
  EXPECT_TRUE(advance(first, 38, 60) == advance(second, 38, 60));
  EXPECT_TRUE(second.snapshot() == first.snapshot());
}

// The slope that the action-net follows is that of the terms it is told.
TEST_P(VboPaperTerms, SlopeOfTheObjective) {
  const Encoding encoding(unit_box(2));
  Lens lens(encoding, LensKind::full);
  Helper<float> helper({.dimension = lens.coordinates().inputs(), .hidden = 8}, {},
                       Rng(3, "helper"));
  Histories h{MatrixOf<float>(2, 16), VectorOf<float>(16), 8};
  Rng rng(5, "data");
  for (float& x : h.X.reshaped()) x = static_cast<float>(rng.uniform());
  for (float& y : h.y) y = static_cast<float>(rng.normal());
  GpReplacement gp(encoding, {.replaced = GetParam()}, {.seed = 1});
  gp.learn(h, 1);
  lens.move(h);
  ActorObjective objective(helper, lens, GetParam() == GpTerm::none ? nullptr : &gp);
  objective.move(helper.remember(lens.seen(h).X, h.y, 8), h.levels(6));
  const std::vector<Eigen::Index> slots(4, 2);
  const auto value = [&](const MatrixOf<float>& X) {
    return objective.assess(X, slots, 0.7).score.cast<double>().mean();
  };
  MatrixOf<float> X(2, 4);  // away from the data, where a deviation has a kink
  for (Eigen::Index i = 0; i < X.cols();) {
    X.col(i) << static_cast<float>(rng.uniform(0.05, 0.95)),
        static_cast<float>(rng.uniform(0.05, 0.95));
    i += (h.X.colwise() - X.col(i)).colwise().norm().minCoeff() > 0.12F;
  }
  MatrixOf<float> dX;
  objective.assess(X, slots, 0.7, &dX);
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    constexpr float step = 4e-3F;
    MatrixOf<float> up = X, down = X;
    up.reshaped()[i] += step;
    down.reshaped()[i] -= step;
    EXPECT_NEAR((value(up) - value(down)) / (2.0 * step), dX.reshaped()[i],
                2e-3 + 0.03 * std::abs(dX.reshaped()[i]))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ablations, VboPaperTerms,
                         ::testing::Values(GpTerm::none, GpTerm::exploration,
                                           GpTerm::exploitation));

// Infinite, huge, equal and missing outcomes leave suggestions inside the space, and finite terms.
TEST(VboPaper, HostileOutcomes) {
  for (const GpTerm replaced : {GpTerm::none, GpTerm::exploration, GpTerm::exploitation}) {
    for (const int kind : {0, 1, 2}) {
      VboPaper optimizer = made_quickly(replaced);
      const auto hostile = [&](const Point& point) {
        if (kind == 0) return 1.0;
        if (kind == 1) return std::numeric_limits<double>::quiet_NaN();
        return real(point, 0) > 0.0 ? std::numeric_limits<double>::infinity() : -1e308;
      };
      for (const Suggestion& s : play(optimizer, hostile, 8, 5).last) {
        EXPECT_TRUE(paper_mixed_space().check(s.point));
        EXPECT_TRUE(std::isfinite(s.rationale.acquisition.value())) << kind;
      }
    }
  }
}

TEST(VboPaper, DamagedStateIsAnError) {
  VboPaper optimizer(paper_mixed_space(), {.seed = 3, .batch = 8}, quick_options());
  std::string state = optimizer.snapshot();
  EXPECT_TRUE(
      VboPaper(paper_mixed_space(), {.seed = 3, .batch = 8}, quick_options()).restore(state, {}));
  state.pop_back();
  EXPECT_FALSE(
      VboPaper(paper_mixed_space(), {.seed = 3, .batch = 8}, quick_options()).restore(state, {}));
}

}  // namespace
}  // namespace vbo

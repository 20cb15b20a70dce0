// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "numerics/pareto.hpp"
#include "numerics/special.hpp"
#include "optim/objectives/trade_off.hpp"
#include "optim/pareto/hypervolume_rays.hpp"
#include "optim/pareto/log_ehvi.hpp"
#include "optim/pareto/objective_models.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

Matrix random_heights(Index M, Index n, Rng& rng) {
  Matrix H(M, n);
  for (double& h : H.reshaped()) h = rng.uniform();
  return H;
}

// Where nothing is uncertain, the improvement is the difference of two hypervolumes.
TEST(LogEhvi, OfACertainPointIsWhatItAdds) {
  Rng rng(1, "ehvi");
  for (Index M = 1; M <= 4; ++M) {
    const Matrix H = random_heights(M, 9, rng);
    const Decomposition boxes = undominated_boxes(H);
    for (int i = 0; i < 20; ++i) {
      const Vector y = random_heights(M, 1, rng) + Vector::Constant(M, 0.3);
      Matrix all(M, 10);
      all << H, y;
      const Vector zero = Vector::Zero(M);
      const double gain = hypervolume(-all, zero) - hypervolume(-H, zero);
      if (gain < 1e-3) continue;
      EXPECT_NEAR(std::exp(log_ehvi(boxes, y, Vector::Constant(M, 1e-6)).value), gain, 1e-4 * gain)
          << M << " objectives";
    }
  }
}

TEST(LogEhvi, IsTheMeanOverDraws) {
  Rng rng(2, "ehvi");
  for (Index M = 2; M <= 4; ++M) {
    const Matrix H = random_heights(M, 7, rng);
    const Vector mean = Vector::Constant(M, 0.6), deviation = Vector::Constant(M, 0.3);
    const double before = hypervolume(-H, Vector::Zero(M));
    double sum = 0.0, squares = 0.0;
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      Matrix all(M, 8);
      all.leftCols(7) = H;
      for (Index m = 0; m < M; ++m) all(m, 7) = mean[m] + deviation[m] * rng.normal();
      const double gain = hypervolume(-all, Vector::Zero(M)) - before;
      sum += gain;
      squares += gain * gain;
    }
    const double expected = sum / draws;
    const double error = std::sqrt((squares / draws - expected * expected) / draws);
    EXPECT_NEAR(std::exp(log_ehvi(undominated_boxes(H), mean, deviation).value), expected,
                4.0 * error);
  }
}

TEST(LogEhvi, HasItsGradientFarFromTheFront) {
  Rng rng(3, "ehvi");
  for (Index M = 1; M <= 4; ++M) {
    const Decomposition boxes = undominated_boxes(random_heights(M, 6, rng));
    for (const double level : {-3.0, 0.2, 0.7}) {
      Vector theta(2 * M);
      for (Index m = 0; m < M; ++m) {
        theta[m] = level + 0.2 * rng.uniform();
        theta[M + m] = 0.1 + 0.2 * rng.uniform();
      }
      const LogEhvi found = log_ehvi(boxes, theta.head(M), theta.tail(M));
      Vector gradient(2 * M);
      gradient << found.d_mean, found.d_deviation;
      constexpr double h = 1e-6;
      for (Index i = 0; i < theta.size(); ++i) {
        Vector up = theta, down = theta;
        up[i] += h;
        down[i] -= h;
        const double slope = (log_ehvi(boxes, up.head(M), up.tail(M)).value -
                              log_ehvi(boxes, down.head(M), down.tail(M)).value) /
                             (2 * h);
        EXPECT_NEAR(gradient[i], slope, 1e-5 * std::max(1.0, std::abs(slope))) << M << " " << level;
      }
    }
  }
}

TEST(HypervolumeRays, MeasureTheHypervolume) {
  Rng rng(4, "rays");
  for (Index M = 2; M <= 4; ++M) {
    const Matrix H = random_heights(M, 30, rng);
    HypervolumeRays rays(M, 4096, 7);
    rays.add(H);
    const double exact = hypervolume(-H, Vector::Zero(M));
    EXPECT_NEAR(rays.volume(), exact, 0.01 * exact) << M << " objectives";
    EXPECT_EQ(rays.gain(H.col(0)), 0.0);
    EXPECT_GT(rays.gain(Vector::Ones(M)), 0.0);
  }
}

TEST(TradeOff, RangesRunFromTheIdealToTheFrontOrTheReference) {
  Matrix Y(2, 4);
  Y << 0.0, 1.0, 2.0, 0.5, 4.0, 3.0, 0.0, -9.0;  // the last one is dominated
  const ObjectiveRanges front = ObjectiveRanges::of(Y, {});
  EXPECT_EQ(front.ideal, Vector(Eigen::Vector2d(2.0, 4.0)));
  EXPECT_EQ(front.width, Vector(Eigen::Vector2d(2.0, 4.0)));
  std::vector<Objective> objectives(2);
  objectives[1].reference = -6.0;
  EXPECT_EQ(ObjectiveRanges::of(Y, objectives).width, Vector(Eigen::Vector2d(2.0, 10.0)));
  EXPECT_EQ(front.distances(Y)(1, 2), 1.0);
  EXPECT_GT(chebyshev(Eigen::Vector2d(0.1, 0.5), Eigen::Vector2d(0.8, 0.2)),
            chebyshev(Eigen::Vector2d(0.5, 0.1), Eigen::Vector2d(0.8, 0.2)));
}

// A linear objective stays linear however far from the front its values lie; what grows
// exponentially is bent.
TEST(Scaling, BendsWhatSuitsAPolynomialBetterSo) {
  Rng rng(5, "scaling");
  Matrix X(3, 60), Y(2, 60);
  for (double& x : X.reshaped()) x = rng.uniform();
  for (Index i = 0; i < X.cols(); ++i) {
    Y(0, i) = -X(0, i) - 0.5 * X(1, i);
    Y(1, i) = -std::exp(12.0 * X(0, i) + 3.0 * X(2, i));
  }
  const ObjectiveRanges narrow{Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(0.05, 10.0)};
  const Scaling scaling = Scaling::of(narrow, X, Y);
  EXPECT_EQ(scaling.bent, (std::vector<bool>{false, true}));
  EXPECT_EQ(scaling.outcomes(Y).row(0), (-narrow.distances(Y)).row(0));
  EXPECT_GT(scaling.outcomes(Y).row(1).minCoeff(), -30.0);
}

Vector zdt2(ConstVectorRef x) {
  const double g = 1.0 + 9.0 * x.tail(x.size() - 1).mean();
  return Eigen::Vector2d(x[0], g - x[0] * x[0] / g);
}

// The first results dominate each other where f1 is near 0: the front collapses into that corner,
// from where the models have to lead to the rest.
TEST(Pareto, FindsAConcaveFrontFromItsCorner) {
  constexpr Index inputs = 15;
  constexpr int batch = 32, rounds = 8;
  std::vector<Parameter> parameters;
  for (Index i = 0; i < inputs; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  OptimizerOptions options{.method = "pareto", .seed = 3, .batch = batch};
  options.objectives = {{.name = "a"}, {.name = "b"}};
  const auto optimizer = make_optimizer(Space::make(parameters).value(), options).value();
  Matrix found(2, batch * rounds);
  TrialId next = 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<TrialId> ids(batch);
    std::iota(ids.begin(), ids.end(), next);
    next += batch;
    std::vector<Trial> told;
    for (const Suggestion& suggestion : optimizer->ask(ids)) {
      Vector x(inputs);
      for (Index i = 0; i < inputs; ++i) {
        x[i] = std::get<double>(suggestion.point[static_cast<std::size_t>(i)]);
      }
      const Vector y = zdt2(x);
      Trial& trial = told.emplace_back();
      trial.id = ids[told.size() - 1];
      trial.point = suggestion.point;
      trial.rationale = suggestion.rationale;
      trial.state = TrialState::completed;
      trial.values = {-y[0], -y[1]};
      trial.asked_in = 2 * round + 1;
      trial.told_in = 2 * round + 2;
      found.col(trial.id - 1) = y;
    }
    optimizer->tell(told);
  }
  const double reached = hypervolume(found, Eigen::Vector2d(1.1, 1.1));
  EXPECT_GT(reached, 0.95 * (1.21 - 2.0 / 3.0));
}

}  // namespace
}  // namespace vbo::pareto

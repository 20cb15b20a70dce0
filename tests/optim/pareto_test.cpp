// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/pareto.hpp"
#include "numerics/special.hpp"
#include "optim/objectives/trade_off.hpp"
#include "optim/pareto/hypervolume_rays.hpp"
#include "optim/pareto/log_ehvi.hpp"
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

}  // namespace
}  // namespace vbo::pareto

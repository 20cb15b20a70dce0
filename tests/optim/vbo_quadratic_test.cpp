// SPDX-License-Identifier: MIT
// The quadratic critic: what it learns from, and where it expects the optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "optim/vbo/critics/quadratic_critic.hpp"
#include "vbo_parts.hpp"
#include "vbo_player.hpp"

namespace vbo {
namespace {

// -sum 10^(6 i / (D-1)) (x_i - 0.37)^2 after a rotation of neighbouring coordinates.
double tilted(ConstVectorRef x) {
  double sum = 0.0;
  const auto D = x.size();
  for (Eigen::Index i = 0; i < D; ++i) {
    const double t = 0.8 * (x[i] - 0.37) + 0.6 * (x[(i + 1) % D] - 0.37);
    sum += std::pow(10.0, 6.0 * static_cast<double>(i) / static_cast<double>(D - 1)) * t * t;
  }
  return -sum;
}

Archive tilted_results(Eigen::Index D, int n, double width) {
  Archive archive(D);
  Rng rng(3, "tilted");
  for (int i = 0; i < n; ++i) {
    Vector x(D);
    for (double& v : x) v = 0.5 + width * (rng.uniform() - 0.5);
    archive.add(i + 1, x, tilted(x));
  }
  archive.sort();
  return archive;
}

LocalCoordinates begun_at_best(const Encoding& encoding, const Archive& archive) {
  GaussianActor search(encoding, 1);
  search.begin(archive.code(archive.at_rank(0)), 0.15);
  LocalCoordinates coordinates(encoding);
  search.set_coordinates(coordinates);
  return coordinates;
}

TEST(QuadraticCritic, FindsTheOptimumOfAnIllConditionedFunction) {
  const Encoding encoding(parts_cube(6));
  const Archive archive = tilted_results(6, 120, 1.0);
  const LocalCoordinates search = begun_at_best(encoding, archive);
  const std::vector<Vector> optima =
      quadratic_optima(encoding, archive, search.neighbourhood(), 4, 0);
  ASSERT_FALSE(optima.empty());
  double best = archive.value(archive.at_rank(0));
  EXPECT_LT(best, -1.0);
  for (const Vector& code : optima) best = std::max(best, tilted(code));
  EXPECT_GT(best, -1e-6);
}

TEST(QuadraticCritic, PredictsResultsItHasNotSeen) {
  const Encoding encoding(parts_cube(4));
  const Archive archive = tilted_results(4, 100, 1.0);
  const LocalCoordinates search = begun_at_best(encoding, archive);
  const Replay replay = archive.replay(0.25, 16);
  const OutcomeLevels levels(archive, replay, 16);
  const OutcomeScale scale(levels, TargetScale{});
  QuadraticCritic critic(encoding, search, scale);
  EXPECT_FALSE(critic.is_fitted());
  for (const Piece& piece : critic.learning(archive, replay, 0).pieces) piece.work(1);
  ASSERT_TRUE(critic.is_fitted());
  Matrix X(4, 2);
  X.col(0).setConstant(0.48);
  X.col(1).setConstant(0.45);
  EXPECT_EQ(critic.covers(X), (std::vector<bool>{true, true}));
  EXPECT_EQ(critic.covers(Matrix::Constant(4, 1, 40.0)), std::vector<bool>{false});
  const Matrix P = critic.predict(levels, X, 1);
  Matrix slope;
  const Vector mean = critic.mean(X, 1, &slope);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const double truth = tilted(X.col(i));
    EXPECT_GT(P(levels.level_of(truth), i), 0.99);  // the function is a quadratic one
    EXPECT_NEAR(mean[i], scale.score(truth), 1e-3);
    for (Eigen::Index d = 0; d < 4; ++d) {
      const double h = 1e-6;
      Matrix up = X.col(i), down = X.col(i);
      up(d, 0) += h;
      down(d, 0) -= h;
      const double numeric =
          (critic.mean(up, 1, nullptr)[0] - critic.mean(down, 1, nullptr)[0]) / (2.0 * h);
      EXPECT_NEAR(slope(d, i), numeric, 1e-4 * std::max(1.0, std::abs(numeric)));
    }
  }
}

// A new result lies within two predicted deviations about as often as it should.
TEST(LocalQuadratic, PredictsItsErrors) {
  const Encoding encoding(parts_cube(3));
  Rng rng(9, "noise");
  const auto noisy = [&](ConstVectorRef x) {
    return -(x.array() - 0.4).square().sum() + 0.05 * rng.normal();
  };
  const auto draw = [&] {
    Vector x(3);
    for (double& v : x) v = rng.uniform();
    return x;
  };
  Archive archive(3);
  std::vector<int> all;
  for (int i = 0; i < 60; ++i) {
    const Vector x = draw();
    archive.add(i + 1, x, noisy(x));
    all.push_back(i);
  }
  archive.sort();
  const auto model = LocalQuadratic::fit(encoding, archive, Vector::Constant(3, 0.4), all);
  ASSERT_TRUE(model);
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector x = draw();
    inside += std::abs(noisy(x) - model->mean(x)[0]) < 2.0 * model->deviation(x)[0];
  }
  EXPECT_GT(inside, 0.85 * 400);
}

TEST(QuadraticCritic, KeepsItsOptimumInTheBox) {
  const Encoding encoding(parts_cube(3));
  Archive archive(3);
  Rng rng(4, "slope");
  for (int i = 0; i < 60; ++i) {
    Vector x(3);
    for (double& v : x) v = rng.uniform();
    archive.add(i + 1, x, x.sum() - 0.1 * x.squaredNorm());  // rises to the corner
  }
  archive.sort();
  const LocalCoordinates search = begun_at_best(encoding, archive);
  for (const Vector& code : quadratic_optima(encoding, archive, search.neighbourhood(), 4, 0)) {
    EXPECT_TRUE((code.array() >= 0.0 && code.array() <= 1.0).all());
    EXPECT_GT(code.sum(), archive.code(archive.at_rank(0)).sum());
  }
}

// Too few results, or none that has the categories of the best one.
TEST(QuadraticCritic, NeedsResultsToLearnFrom) {
  const Encoding cube(parts_cube(5));
  const Archive few = tilted_results(5, 11, 1.0);
  EXPECT_TRUE(quadratic_optima(cube, few, begun_at_best(cube, few).neighbourhood(), 4, 0).empty());

  const Encoding mixed(parts_mixed_space());
  Archive archive(mixed);
  Rng rng(5, "categories");
  for (int i = 0; i < 60; ++i) {
    Vector x = Vector::Zero(mixed.dimension());
    for (double& v : x) v = rng.uniform();
    mixed.snap(x);
    const Point point = mixed.decode(x);
    const bool is_a = std::get<std::string>(point[2]) == "a";
    archive.add(i + 1, mixed.encode(point), is_a ? -1.0 - x[0] : (i == 7 ? 1.0 : -2.0));
  }
  archive.sort();
  const std::vector<Vector> optima =
      quadratic_optima(mixed, archive, begun_at_best(mixed, archive).neighbourhood(), 4, 0);
  for (const Vector& code : optima) {
    EXPECT_TRUE(mixed.same_categories(code, archive.code(archive.at_rank(0))));
  }
}

TEST(QuadraticCritic, OutcomesThatAreAllEqualGiveNoDirection) {
  const Encoding encoding(parts_cube(2));
  Archive archive(2);
  Rng rng(6, "equal");
  for (int i = 0; i < 30; ++i) archive.add(i + 1, Vector::Constant(2, rng.uniform()), 1.0);
  archive.sort();
  const LocalCoordinates search = begun_at_best(encoding, archive);
  for (const Vector& code : quadratic_optima(encoding, archive, search.neighbourhood(), 2, 0)) {
    EXPECT_TRUE(code.allFinite());
  }
}

}  // namespace
}  // namespace vbo

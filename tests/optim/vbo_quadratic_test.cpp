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

GaussianActor begun_at_best(const Encoding& encoding, const Archive& archive) {
  GaussianActor search(encoding, 1);
  search.begin(archive.code(archive.at_rank(0)), 0.15);
  return search;
}

TEST(QuadraticCritic, FindsTheOptimumOfAnIllConditionedFunction) {
  const Encoding encoding(parts_cube(6));
  const Archive archive = tilted_results(6, 120, 1.0);
  const GaussianActor search = begun_at_best(encoding, archive);
  const std::vector<Vector> optima = quadratic_optima(encoding, archive, search, 4, 0);
  ASSERT_FALSE(optima.empty());
  double best = archive.value(archive.at_rank(0));
  EXPECT_LT(best, -1.0);
  for (const Vector& code : optima) best = std::max(best, tilted(code));
  EXPECT_GT(best, -1e-6);
}

TEST(QuadraticCritic, PredictsResultsItHasNotSeen) {
  const Encoding encoding(parts_cube(4));
  const Archive archive = tilted_results(4, 100, 1.0);
  const GaussianActor search = begun_at_best(encoding, archive);
  const auto critic = QuadraticCritic::fit_near(encoding, archive, search);
  ASSERT_TRUE(critic);
  const double best = archive.value(archive.at_rank(0));
  const Vector x = Vector::Constant(4, 0.6);
  EXPECT_NEAR(critic->mean(x)[0] + best, tilted(x), 1e-4 * std::abs(tilted(x)));
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
  const GaussianActor search = begun_at_best(encoding, archive);
  for (const Vector& code : quadratic_optima(encoding, archive, search, 4, 0)) {
    EXPECT_TRUE((code.array() >= 0.0 && code.array() <= 1.0).all());
    EXPECT_GT(code.sum(), archive.code(archive.at_rank(0)).sum());
  }
}

// Too few results, or none that has the categories of the best one.
TEST(QuadraticCritic, NeedsResultsToLearnFrom) {
  const Encoding cube(parts_cube(5));
  const Archive few = tilted_results(5, 11, 1.0);
  EXPECT_TRUE(quadratic_optima(cube, few, begun_at_best(cube, few), 4, 0).empty());

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
      quadratic_optima(mixed, archive, begun_at_best(mixed, archive), 4, 0);
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
  const GaussianActor search = begun_at_best(encoding, archive);
  for (const Vector& code : quadratic_optima(encoding, archive, search, 2, 0)) {
    EXPECT_TRUE(code.allFinite());
  }
}

}  // namespace
}  // namespace vbo

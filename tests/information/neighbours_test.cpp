// SPDX-License-Identifier: MIT
// The nearest-neighbour estimator against closed forms, at fixed seeds, within the scatter that
// repeated samples have.
#include "information/neighbours.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "vbo/random.hpp"

namespace vbo {
namespace {

double nats(const NeighbourColumn& x, const std::vector<double>& y, int k) {
  const std::array<const NeighbourColumn*, 1> columns = {&x};
  return neighbour_information(columns, y, k).nats;
}

struct Pairs {
  NeighbourColumn x;
  std::vector<double> y;
};

Pairs gaussian(std::size_t n, double rho, std::uint64_t seed) {
  Rng rng(seed, "gaussian");
  Pairs pairs;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = rng.normal();
    pairs.x.values.push_back(a);
    pairs.y.push_back(rho * a + std::sqrt(1.0 - rho * rho) * rng.normal());
  }
  return pairs;
}

// I = -1/2 ln(1 - rho^2). Scatter of one estimate at n = 1000, k = 5: 0.02; mean of ten: 0.007.
TEST(Neighbours, GaussianPairs) {
  for (const double rho : {0.0, 0.3, 0.6, 0.9}) {
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Pairs pairs = gaussian(1000, rho, seed);
      sum += nats(pairs.x, pairs.y, 5);
    }
    EXPECT_NEAR(sum / 10.0, -0.5 * std::log(1.0 - rho * rho), 0.025) << "rho " << rho;
  }
}

// A category c in {0,1,2,3} with Y = c + uniform(0,1): Y tells c exactly, I = ln 4.
TEST(Neighbours, CategoriesThatDecideTheOutcome) {
  Rng rng(3);
  NeighbourColumn x{{}, true};
  std::vector<double> y;
  for (int i = 0; i < 800; ++i) {
    x.values.push_back(static_cast<double>(rng.below(4)));
    y.push_back(x.values.back() + rng.uniform());
  }
  EXPECT_NEAR(nats(x, y, 5), std::log(4.0), 0.05);
}

// Codes of categories are labels: renaming them changes nothing.
TEST(Neighbours, CategoriesHaveNoOrder) {
  Rng rng(4);
  NeighbourColumn x{{}, true}, renamed{{}, true};
  std::vector<double> y;
  const std::array<double, 3> names = {17.0, -2.0, 5.0};
  for (int i = 0; i < 300; ++i) {
    const auto c = rng.below(3);
    x.values.push_back(static_cast<double>(c));
    renamed.values.push_back(names[c]);
    y.push_back((c == 1 ? 1.0 : 0.0) + rng.normal());
  }
  EXPECT_DOUBLE_EQ(nats(x, y, 5), nats(renamed, y, 5));
}

// Both sides discrete: a channel with four letters that errs with probability 0.2,
// I = ln 4 - H(0.2) - 0.2 ln 3.
TEST(Neighbours, DiscreteChannel) {
  Rng rng(5);
  NeighbourColumn x{{}, true};
  std::vector<double> y;
  for (int i = 0; i < 2000; ++i) {
    const auto letter = rng.below(4);
    const auto heard = rng.uniform() < 0.2 ? (letter + 1 + rng.below(3)) % 4 : letter;
    x.values.push_back(static_cast<double>(letter));
    y.push_back(static_cast<double>(heard));
  }
  const double entropy = -0.2 * std::log(0.2) - 0.8 * std::log(0.8);
  EXPECT_NEAR(nats(x, y, 5), std::log(4.0) - entropy - 0.2 * std::log(3.0), 0.06);
}

// Y = sign(a) sign(b): each alone tells nothing, both together all of ln 2. Y has noise of its own
// that carries nothing. Neighbourhoods in three dimensions blur the edges: 0.1 nats are lost at
// 1500.
TEST(Neighbours, TwoColumnsTogether) {
  Rng rng(6);
  NeighbourColumn a, b;
  std::vector<double> y;
  for (int i = 0; i < 1500; ++i) {
    a.values.push_back(rng.normal());
    b.values.push_back(rng.normal());
    const bool same = (a.values.back() > 0) == (b.values.back() > 0);
    y.push_back((same ? 2.0 : 0.0) + rng.uniform());
  }
  EXPECT_NEAR(nats(a, y, 5), 0.0, 0.05);
  EXPECT_NEAR(nats(b, y, 5), 0.0, 0.05);
  const std::array<const NeighbourColumn*, 2> both = {&a, &b};
  EXPECT_NEAR(neighbour_information(both, y, 5).nats, std::numbers::ln2, 0.12);
}

TEST(Neighbours, LocalTermsMakeTheMean) {
  const Pairs pairs = gaussian(100, 0.5, 1);
  const std::array<const NeighbourColumn*, 1> columns = {&pairs.x};
  const NeighbourEstimate estimate = neighbour_information(columns, pairs.y, 3);
  double sum = 0.0;
  for (const double term : estimate.local) sum += term;
  EXPECT_NEAR(sum / 100.0, estimate.nats, 1e-12);
}

// A sample that is alone in its category, all outcomes equal, two samples: finite answers.
TEST(Neighbours, DegenerateSamples) {
  NeighbourColumn lonely{{0, 1, 2, 3, 4}, true};
  EXPECT_EQ(nats(lonely, {1, 2, 3, 4, 5}, 3), 0.0);
  NeighbourColumn number{{0, 1, 2, 3, 4}, false};
  EXPECT_NEAR(nats(number, {7, 7, 7, 7, 7}, 3), 0.0, 0.6);
  EXPECT_TRUE(std::isfinite(nats({{1, 2}, false}, {1, 2}, 1)));
}

}  // namespace
}  // namespace vbo

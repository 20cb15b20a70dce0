// SPDX-License-Identifier: MIT
#include "tasks/brusselator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "long_tests.hpp"

namespace vbo::tasks::brusselator {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> wavy_field() {
  std::vector<double> z(cells);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      z[i * side + j] = std::sin(0.7 * i) * std::cos(1.3 * j) + std::sin(12.9898 * i + 78.233 * j);
    }
  }
  return z;
}

TEST(Brusselator, SteadyStateStays) {
  struct {
    Coefficients c;
    double y;
  } const known[] = {{{1, 1, 1, 1}, -0.08621886827},
                     {{0.1, 0.1, 0.01, 0.01}, -0.05238568818},
                     {{0.3162277660168379, 0.1, 1, 1}, -0.008621886827},
                     {{0.5, 0.1, 0.01, 5}, -0.01348453142},
                     {{2.55, 2.55, 2.505, 2.505}, -0.3496637101},
                     {{5, 5, 5, 5}, -1.295564492},
                     {{5, 0.1, 1, 1}, -1.348572231}};
  for (const auto& k : known) {
    State state = initial_state(k.c, std::vector<double>(cells, 0.0));
    integrate(k.c, state);
    EXPECT_NEAR(objective(state), k.y, 1e-9 * std::abs(k.y)) << k.c.a << " " << k.c.b;
  }
}

// The steady state's variance in closed form: f = 496/4096 of the cells are border.
TEST(Brusselator, OptimumInClosedForm) {
  const double Ew = 0.208984375, Ew2 = 0.1298828125, u = std::sqrt(0.1), v = u;
  const double y =
      -(8192.0 / 8191.0) * (Ew2 * (u * u + v * v) / 2.0 - std::pow(Ew * (u + v) / 2.0, 2));
  EXPECT_NEAR(make_task("brusselator").value()->info().optimum->value, y, 1e-11);
}

// Full integrations, by an independent program.
TEST(Brusselator, KnownEndStates) {
  struct {
    Coefficients c;
    double y, mean_u, mean_v, tolerance;
  } const known[] = {
      {{1, 3, 1, 0.1}, -1.042837597, 0.45583385, 4.4416436, 1e-5},
      {{0.1, 0.1, 0.01, 0.01}, -0.05249221015, 0.10000278, 0.99987926, 1e-7},
      {{0.3162277660168379, 0.1, 1, 1}, -0.008622304392, 0.31622799, 0.31622953, 1e-7},
      {{1, 1, 1, 1}, -0.08621886985, 1, 1, 1e-7},
      {{2, 4, 0.1, 5}, -1.09078668, 1.9995607, 1.1871402, 1e-5},
      {{3, 5, 0.01, 5}, -2.366791076, 2.9995402, 0.98737978, 1e-5},
      {{0.5, 2, 1, 1}, -0.6135770294, 0.93795812, 3.4356522, 1e-5},
      {{0.2, 0.1, 5, 5}, -0.01348581021, 0.20000065, 0.50001398, 1e-7},
      {{0.3, 0.1, 5, 5}, -0.008682191659, 0.3000005, 0.3333378, 1e-7},
      {{0.5, 0.1, 5, 0.01}, -0.01348449866, 0.49999936, 0.19999841, 1e-7}};
  const std::vector<double> z = wavy_field();
  for (const auto& k : known) {
    State state = initial_state(k.c, z);
    integrate(k.c, state);
    EXPECT_TRUE(state.finite);
    EXPECT_NEAR(objective(state), k.y, k.tolerance * std::abs(k.y)) << k.c.a << " " << k.c.b;
    EXPECT_NEAR(mean(state.u), k.mean_u, 1e-6);
    EXPECT_NEAR(mean(state.v), k.mean_v, 1e-6);
  }
}

TEST(Brusselator, FastIntegratorEqualsThePlainOne) {
  const Coefficients c{1.3, 2.9, 0.7, 3.1};
  for (const int count : {1, 2, 7, 8, 9, 203}) {
    State fast = initial_state(c, wavy_field()), plain = fast;
    integrate(c, fast, count);
    integrate_plain(c, plain, count);
    for (int i = 0; i < cells; ++i) {
      ASSERT_NEAR(fast.u[i], plain.u[i], 1e-12) << "cell " << i << " after " << count;
      ASSERT_NEAR(fast.v[i], plain.v[i], 1e-12) << "cell " << i << " after " << count;
    }
  }
}

TEST(Brusselator, GaussianFieldsGiveTheRightMeans) {
  struct {
    std::vector<double> x;
    double mean, deviation;
  } const known[] = {{{1, 3, 1, 0.1}, -0.657, 0.095},
                     {{2, 4, 0.1, 5}, -1.0245, 0.048},
                     {{3, 5, 0.01, 5}, -2.246, 0.090},
                     {{0.5, 2, 1, 1}, -0.929, 0.073},
                     {{0.5, 2, 0.01, 0.01}, -0.809, 0.022},
                     {{0.1, 1.5, 1, 1}, -0.1628, 0.0060},
                     {{0.1, 5, 0.01, 0.01}, -1.1395, 0.0006},
                     {{0.1, 0.1, 0.01, 0.01}, -0.05251, 0.00035},
                     {{0.3162, 0.1, 1, 1}, -0.0086216, 0.000006}};
  const auto task = make_task("brusselator").value();
  const int n = long_tests() ? 40 : 8;
  for (const auto& k : known) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      Rng rng(2, "evaluation", i);
      sum += task->evaluate(to_point(k.x), rng);
    }
    // The reference means come from 40 fields themselves.
    const double error = k.deviation * std::sqrt(1.0 / n + 1.0 / 40.0);
    EXPECT_NEAR(sum / n, k.mean, 4.0 * error) << k.x[0] << " " << k.x[1];
  }
}

// Where the explicit scheme blows up the task still returns a number, an enormous one.
TEST(Brusselator, BlowUpIsSurvived) {
  const auto task = make_task("brusselator").value();
  Rng rng(1);
  EXPECT_NEAR(task->evaluate(to_point({0.1338, 4.7577, 0.0631, 4.8316}), rng), -1.3e9, 0.1e9);
}

TEST(Brusselator, SameSeedSameValue) {
  const auto task = make_task("brusselator").value();
  const Point x = to_point({2.0, 4.0, 0.1, 5.0});
  Rng a(1), b(1), c(2);
  const double value = task->evaluate(x, a);
  EXPECT_EQ(value, task->evaluate(x, b));
  EXPECT_NE(value, task->evaluate(x, c));
}

}  // namespace
}  // namespace vbo::tasks::brusselator

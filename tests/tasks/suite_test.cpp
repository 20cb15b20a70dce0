// SPDX-License-Identifier: MIT
// What every test problem owes, under all its options: f(x*) = f*, x* feasible and better than
// random points, the same seed the same value.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "random_point.hpp"
#include "tasks/functions.hpp"
#include "tasks/task.hpp"

namespace vbo::tasks {
namespace {

class EveryProblem : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryProblem, OptimumIsFeasibleExactAndUnbeaten) {
  const auto task = make_task(GetParam()).value();
  ASSERT_TRUE(task->info().optimum);
  const Optimum& optimum = *task->info().optimum;
  ASSERT_FALSE(optimum.points.empty());
  const double scale = std::max(1.0, std::abs(optimum.value));
  for (const Point& point : optimum.points) {
    const auto feasible = task->space().check(point);
    ASSERT_TRUE(feasible) << feasible.error().message;
    EXPECT_NEAR(task->noiseless(point).value(), optimum.value, 1e-9 * scale);
  }
  const double sign = task->info().goal == Goal::minimize ? 1.0 : -1.0;
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const Point point = random_point(task->space(), rng);
    ASSERT_TRUE(task->space().check(point));
    const double value = task->noiseless(point).value();
    ASSERT_TRUE(std::isfinite(value));
    EXPECT_GE(sign * (value - optimum.value), -1e-9 * scale);
  }
}

TEST_P(EveryProblem, SameSeedSameValue) {
  const auto task = make_task(GetParam()).value();
  const auto again = make_task(GetParam()).value();
  Rng places(6);
  for (int i = 0; i < 10; ++i) {
    const Point point = random_point(task->space(), places);
    Rng a(7, "evaluation", i), b(7, "evaluation", i);
    const double value = task->evaluate(point, a);
    EXPECT_EQ(value, again->evaluate(point, b));
    EXPECT_TRUE(task->info().noise > 0.0 || value == task->noiseless(point));
  }
}

std::vector<std::string> every_problem() {
  std::vector<std::string> specs = {"branin",
                                    "branin?noise=0.5",
                                    "hartmann6",
                                    "ackley10",
                                    "pest-control",
                                    "mixed",
                                    "mixed?groups=1&instance=5",
                                    "mixed?groups=20&noise=0.1",
                                    "switches",
                                    "switches?binary=50&floats=3&instance=2",
                                    "ising",
                                    "ising?half=1",
                                    "ising?half=6&instance=4"};
  for (int n = 3; n <= 40; ++n) specs.push_back("labs?dim=" + std::to_string(n));
  for (const Classic& classic : classic_functions()) {
    const std::string name(classic.name);
    for (const char* options :
         {"", "?dim=2", "?dim=37", "?shift=3", "?rotate=1", "?dim=20&shift=3&rotate=1",
          "?dim=2&shift=9&rotate=4", "?noise=0.3", "?discretize=5", "?dim=6&shift=2&discretize=33",
          "?dim=5&shift=1&rotate=2&discretize=101&noise=0.1"}) {
      specs.push_back(name + options);
    }
    if (classic.smallest_dim == 1) specs.push_back(name + "?dim=1&shift=8&rotate=1");
  }
  return specs;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryProblem, ::testing::ValuesIn(every_problem()), test_name);

// Away from the optimum each function takes the value its formula gives by hand.
TEST(Classics, ValuesByHand) {
  struct Known {
    const char* spec;
    std::vector<double> x;
    double y;
  };
  const Known known[] = {
      {"sphere?dim=3", {1, 2, 3}, 14},
      {"ellipsoid?dim=3", {1, 2, 3}, 1 + 4e3 + 9e6},
      {"bent-cigar?dim=3", {1, 2, 3}, 1 + 13e6},
      {"discus?dim=3", {1, 2, 3}, 1e6 + 13},
      {"different-powers?dim=3", {1, 2, 3}, 1 + 16 + 729},
      {"zakharov?dim=2", {1, 2}, 5 + 6.25 + 39.0625},
      {"quartic?dim=2", {1, -1.2}, 1 + 2 * 2.0736},
      {"step?dim=2", {0.4, 1.6}, 4},
      {"rosenbrock?dim=3", {0, 1, 2}, 100 + 1 + 100},
      {"dixon-price?dim=2", {2, 1}, 1},
      {"rastrigin?dim=2", {0.5, 1}, 0.25 + 20 + 1},
      {"griewank?dim=2", {std::acos(-1.0), 0}, 2 + std::pow(std::acos(-1.0), 2) / 4000},
      {"levy?dim=1", {5}, 1},
      {"schwefel?dim=2", {0, 0}, 2 * 418.9828872724338},
      {"styblinski-tang?dim=2", {1, 0}, -5},
      {"alpine?dim=2", {std::acos(-1.0) / 2, 0}, 1.1 * std::acos(-1.0) / 2},
      {"weierstrass?dim=1", {0.5}, 2 * (2 - std::exp2(-20))},
      {"salomon?dim=2", {0.3, 0.4}, 2.05},
      {"schaffer7?dim=2",
       {3, 4},
       5 * std::pow(1 + std::pow(std::sin(50 * std::pow(5, 0.2)), 2), 2)},
      {"ripples?dim=2", {std::sqrt(10.0) / 2, 0}, 20.25},
      {"two-funnels?dim=1", {3}, 20.25},
      {"plateaus?dim=2", {1, 0.5}, 4},
  };
  for (const Known& k : known) {
    EXPECT_NEAR(make_task(k.spec).value()->noiseless({k.x.begin(), k.x.end()}).value(), k.y,
                1e-9 * std::max(1.0, std::abs(k.y)))
        << k.spec;
  }
}

// Published minima of functions without a closed form.
TEST(Classics, PublishedMinima) {
  const auto minimum = [](const char* spec) {
    return make_task(spec).value()->info().optimum->value;
  };
  EXPECT_NEAR(minimum("michalewicz?dim=2"), -1.8013034, 1e-7);
  EXPECT_NEAR(minimum("michalewicz?dim=5"), -4.6876582, 1e-7);
  EXPECT_NEAR(minimum("michalewicz?dim=10"), -9.6601517, 1e-7);
  EXPECT_NEAR(minimum("styblinski-tang?dim=3"), -39.16617 * 3, 1e-4);
}

TEST(Classics, ShiftMovesTheOptimumOffCentreAndInside) {
  for (const Classic& classic : classic_functions()) {
    const auto task = make_task(std::string(classic.name) + "?dim=8&shift=11").value();
    const double centre = 0.5 * (classic.low + classic.high);
    const double half = 0.5 * (classic.high - classic.low);
    for (const Value& value : task->info().optimum->points[0]) {
      const double place = std::abs(std::get<double>(value) - centre) / half;
      EXPECT_GE(place, 0.2) << classic.name;
      EXPECT_LE(place, 0.7) << classic.name;
    }
  }
}

// A rotation keeps distances, so the sphere does not notice it; the ellipsoid does.
TEST(Classics, RotateIsAnIsometry) {
  const auto value = [](const std::string& spec, const Point& x) {
    return make_task(spec).value()->noiseless(x).value();
  };
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const Point x = random_point(make_task("sphere?dim=50").value()->space(), rng);
    const double plain = value("sphere?dim=50", x);
    EXPECT_NEAR(value("sphere?dim=50&rotate=6", x), plain, 1e-10 * plain);
    EXPECT_NE(value("ellipsoid?dim=50&rotate=6", x), value("ellipsoid?dim=50", x));
  }
}

TEST(Classics, NoiseHasTheGivenDeviation) {
  const auto task = make_task("sphere?dim=2&noise=0.25").value();
  const Point x = {1.0, 2.0};
  Rng rng(8);
  double sum = 0.0, squares = 0.0;
  const int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double error = task->evaluate(x, rng) - 5.0;
    sum += error;
    squares += error * error;
  }
  EXPECT_NEAR(sum / n, 0.0, 4 * 0.25 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.25, 4 * 0.25 / std::sqrt(2.0 * n));
}

// The ground state of a small instance, by trying all 2^16 states.
TEST(Ising, PlantedStateIsTheGroundState) {
  const auto task = make_task("ising?half=2&instance=7").value();
  double lowest = 1e9;
  for (int bits = 0; bits < 1 << 16; ++bits) {
    Point point;
    for (int i = 0; i < 16; ++i) point.emplace_back(std::string((bits >> i & 1) ? "+1" : "-1"));
    lowest = std::min(lowest, task->noiseless(point).value());
  }
  EXPECT_NEAR(lowest, task->info().optimum->value, 1e-12);
}

TEST(Labs, BarkerSequenceOfLength13) {
  const auto task = make_task("labs?dim=13").value();
  Point barker;
  for (const char c : std::string("+++++--++-+-+")) barker.emplace_back(std::string{c, '1'});
  EXPECT_EQ(task->noiseless(barker), 6.0);
}

}  // namespace
}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
#include "numerics/minimize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/extremes.hpp"

namespace vbo {
namespace {

double rosenbrock(ConstVectorRef x, VectorRef g) {
  g.setZero();
  double value = 0.0;
  for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i];
    const double b = 1.0 - x[i];
    value += 100.0 * a * a + b * b;
    g[i] += -400.0 * a * x[i] - 2.0 * b;
    g[i + 1] += 200.0 * a;
  }
  return value;
}

TEST(MinimizeBounded, SolvesRosenbrock) {
  for (const int n : {2, 10}) {
    const MinimizeResult r =
        minimize_bounded(rosenbrock, Vector::Constant(n, -1.2), Vector::Constant(n, -5.0),
                         Vector::Constant(n, 5.0), {.value_tolerance = 1e-15});
    EXPECT_TRUE(r.converged()) << r.text;
    EXPECT_LT((r.x - Vector::Ones(n)).norm(), 1e-4) << r.text;
    EXPECT_GT(r.iterations, 5);
    EXPECT_GE(r.evaluations, r.iterations);
  }
}

TEST(MinimizeBounded, AsksForTheStartOnce) {
  const Vector start{{-1.2, 0.7}};
  int asked = 0, at_start = 0;
  const auto counted = [&](ConstVectorRef x, VectorRef g) {
    ++asked;
    if (x == start) ++at_start;
    return rosenbrock(x, g);
  };
  const MinimizeResult r =
      minimize_bounded(counted, start, Vector::Constant(2, -5.0), Vector::Constant(2, 5.0));
  EXPECT_TRUE(r.converged()) << r.text;
  EXPECT_EQ(at_start, 1);
  EXPECT_EQ(asked, r.evaluations - 1);  // NLopt's own question for the start counts, too
}

TEST(MinimizeBounded, StopsOnTheBounds) {
  // The minimum of sum (x_i - c_i)^2 over the box is c clamped.
  const Vector c{{3.0, -2.0, 0.25}};
  const auto f = [&](ConstVectorRef x, VectorRef g) {
    g = 2.0 * (x - c);
    return (x - c).squaredNorm();
  };
  const MinimizeResult r =
      minimize_bounded(f, Vector::Constant(3, 0.9), Vector::Zero(3), Vector::Ones(3));
  EXPECT_TRUE(r.converged());
  EXPECT_LT((r.x - Vector{{1.0, 0.0, 0.25}}).norm(), 1e-6);
}

TEST(MinimizeBounded, UnboundedAndFixedVariables) {
  const auto f = [](ConstVectorRef x, VectorRef g) {
    g = 2.0 * (x.array() - 7.0).matrix();
    return (x.array() - 7.0).square().sum();
  };
  const MinimizeResult free =
      minimize_bounded(f, Vector::Zero(2), Vector::Constant(2, -kInf), Vector::Constant(2, kInf));
  EXPECT_LT((free.x - Vector::Constant(2, 7.0)).norm(), 1e-4);
  const MinimizeResult fixed =
      minimize_bounded(f, Vector::Zero(2), Vector{{2.0, -10.0}}, Vector{{2.0, 10.0}});
  EXPECT_EQ(fixed.x[0], 2.0);
  EXPECT_NEAR(fixed.x[1], 7.0, 1e-4);
  const MinimizeResult all_fixed =
      minimize_bounded(f, Vector::Zero(2), Vector::Ones(2), Vector::Ones(2));
  EXPECT_EQ(all_fixed.x, Vector::Ones(2));
  EXPECT_TRUE(all_fixed.usable());
}

TEST(MinimizeBounded, FlatFunctionConvergesAtOnce) {
  const auto f = [](ConstVectorRef, VectorRef g) {
    g.setZero();
    return 4.0;
  };
  const MinimizeResult r =
      minimize_bounded(f, Vector::Constant(3, 0.5), Vector::Zero(3), Vector::Ones(3));
  EXPECT_EQ(r.status, MinimizeStatus::gradient_converged);
  EXPECT_EQ(r.value, 4.0);
  EXPECT_EQ(r.evaluations, 1);
}

// -log x + x is NaN left of 0, where a long first step lands.
TEST(MinimizeBounded, StepsBackFromValuesThatAreNotFinite) {
  const auto f = [](ConstVectorRef x, VectorRef g) {
    g = (1.0 - 1.0 / x.array()).matrix();
    return (x.array() - x.array().log()).sum();
  };
  for (const double start : {0.01, 30.0, 500.0}) {
    const MinimizeResult r = minimize_bounded(f, Vector::Constant(2, start),
                                              Vector::Constant(2, -1e3), Vector::Constant(2, 1e3));
    EXPECT_TRUE(r.usable()) << r.text;
    EXPECT_LT((r.x - Vector::Ones(2)).norm(), 1e-3) << start << ": " << r.text;
  }
}

TEST(MinimizeBounded, BadStartsArgumentsAndExceptionsAreReported) {
  const auto nan = [](ConstVectorRef, VectorRef g) {
    g.setZero();
    return std::numeric_limits<double>::quiet_NaN();
  };
  const Vector zero = Vector::Zero(2);
  const Vector one = Vector::Ones(2);
  const MinimizeResult bad = minimize_bounded(nan, zero, zero, one);
  EXPECT_EQ(bad.status, MinimizeStatus::bad_start);
  EXPECT_FALSE(bad.usable());
  EXPECT_EQ(minimize_bounded(rosenbrock, zero, one, zero).status, MinimizeStatus::bad_arguments);
  EXPECT_EQ(minimize_bounded(rosenbrock, zero, Vector::Zero(3), one).status,
            MinimizeStatus::bad_arguments);
  int calls = 0;
  const auto throws_later = [&](ConstVectorRef x, VectorRef g) {
    if (++calls == 3) throw std::runtime_error("out of fuel");
    return rosenbrock(x, g);
  };
  const MinimizeResult thrown =
      minimize_bounded(throws_later, zero, Vector::Constant(2, -2.0), 2 * one);
  EXPECT_EQ(thrown.status, MinimizeStatus::objective_threw);
  EXPECT_NE(thrown.text.find("out of fuel"), std::string::npos);
  EXPECT_TRUE(thrown.usable());
}

TEST(MinimizeBounded, LimitsHoldAndTheBestPointIsReturned) {
  const Vector start = Vector::Constant(6, -1.2);
  const Vector low = Vector::Constant(6, -5.0);
  const MinimizeResult few = minimize_bounded(rosenbrock, start, low, -low, {.max_iterations = 4});
  EXPECT_EQ(few.status, MinimizeStatus::iteration_limit);
  EXPECT_EQ(few.iterations, 4);
  const MinimizeResult short_run =
      minimize_bounded(rosenbrock, start, low, -low, {.max_evaluations = 9});
  EXPECT_EQ(short_run.status, MinimizeStatus::evaluation_limit);
  EXPECT_EQ(short_run.evaluations, 9);
  Vector g(6);
  EXPECT_EQ(short_run.value, rosenbrock(short_run.x, g));
  EXPECT_LT(short_run.value, rosenbrock(start, g));
}

TEST(MinimizeBounded, EmptyProblem) {
  const auto f = [](ConstVectorRef, VectorRef) { return 1.0; };
  const MinimizeResult r = minimize_bounded(f, Vector(0), Vector(0), Vector(0));
  EXPECT_TRUE(r.converged());
  EXPECT_EQ(r.value, 1.0);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "numerics/quasi_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace vbo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Vector vector(std::initializer_list<double> values) {
  Vector v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

// f = (x - c)' A (x - c) / 2, offering `offered` as its curvature.
CurvedFunction bowl(Matrix A, Vector c, Matrix offered) {
  return [=](ConstVectorRef x, double ceiling, Slope& slope) {
    const Vector d = x - c;
    const double value = 0.5 * d.dot(A * d);
    if (value <= ceiling) slope = {A * d, offered};
    return value;
  };
}

}  // namespace

TEST(QuasiNewton, ExactCurvatureNeedsOneStep) {
  Matrix A(2, 2);
  A << 4, 1, 1, 3;
  const Vector c = vector({0.3, -0.4});
  const MinimizeResult r = minimize_quasi_newton(bowl(A, c, A), Vector::Zero(2),
                                                 Vector::Constant(2, -5), Vector::Constant(2, 5));
  EXPECT_TRUE(r.converged()) << r.text;
  EXPECT_LE(r.evaluations, 3);
  EXPECT_LT((r.x - c).norm(), 1e-6);
}

TEST(QuasiNewton, PoorCurvatureIsCorrectedByGradients) {
  Matrix A(3, 3);
  A << 40, 3, 0, 3, 9, 1, 0, 1, 2;
  const Vector c = vector({0.3, -0.4, 0.9});
  const MinimizeResult r = minimize_quasi_newton(bowl(A, c, Matrix::Identity(3, 3)),
                                                 Vector::Zero(3), Vector::Constant(3, -5),
                                                 Vector::Constant(3, 5), {.gain_tolerance = 1e-10});
  EXPECT_TRUE(r.converged()) << r.text;
  EXPECT_LT(r.evaluations, 30);
  EXPECT_LT((r.x - c).norm(), 1e-4);
}

// The unconstrained minimum is outside: x_0 stays at its bound and x_1 adapts to it.
TEST(QuasiNewton, MinimumOnABound) {
  Matrix A(2, 2);
  A << 4, 1.5, 1.5, 3;
  const MinimizeResult r = minimize_quasi_newton(bowl(A, vector({2.0, 0.0}), A), Vector::Zero(2),
                                                 Vector::Constant(2, -1), Vector::Constant(2, 1));
  EXPECT_TRUE(r.converged()) << r.text;
  EXPECT_DOUBLE_EQ(r.x[0], 1.0);
  EXPECT_NEAR(r.x[1], 0.5, 1e-6);  // 1.5 (1 - 2) + 3 x_1 = 0
}

TEST(QuasiNewton, StepsBackFromValuesThatAreNotFinite) {
  // Rosenbrock with the Gauss-Newton matrix as curvature; not a number for x_0 < -1.1.
  int calls = 0;
  const CurvedFunction f = [&](ConstVectorRef x, double ceiling, Slope& slope) {
    ++calls;
    if (x[0] < -1.1) return std::nan("");
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    const double value = a * a + 100 * b * b;
    if (value > ceiling) return value;
    slope.gradient = vector({-2 * a - 400 * x[0] * b, 200 * b});
    slope.curvature.resize(2, 2);
    slope.curvature << 2 + 800 * x[0] * x[0], -400 * x[0], -400 * x[0], 200;
    return value;
  };
  const MinimizeResult r = minimize_quasi_newton(f, vector({-1.0, 1.5}), Vector::Constant(2, -3),
                                                 Vector::Constant(2, 3), {.gain_tolerance = 1e-12});
  EXPECT_TRUE(r.converged()) << r.text;
  EXPECT_NEAR(r.x[0], 1.0, 1e-4);
  EXPECT_NEAR(r.x[1], 1.0, 1e-4);
  EXPECT_EQ(r.evaluations, calls);
}

TEST(QuasiNewton, LastEvaluationAsksForNoSlopeAndLimitsHold) {
  double last = 0.0;
  const Matrix A = Matrix::Identity(2, 2);
  const CurvedFunction f = bowl(A, vector({0.5, 0.5}), A);
  minimize_quasi_newton(
      [&](ConstVectorRef x, double ceiling, Slope& slope) {
        last = ceiling;
        return f(x, ceiling, slope);
      },
      vector({0.49, 0.5}), Vector::Zero(2), Vector::Ones(2), {.gain_tolerance = 1e-3});
  EXPECT_EQ(last, -infinity);
  const auto limited = minimize_quasi_newton(
      bowl(A, vector({0.5, 0.5}), 1e6 * A), Vector::Zero(2), Vector::Zero(2), Vector::Ones(2),
      {.max_iterations = 2, .gain_tolerance = 0.0, .memory = 0});
  EXPECT_EQ(limited.status, MinimizeStatus::iteration_limit);
  EXPECT_EQ(limited.iterations, 2);
}

TEST(QuasiNewton, BadArgumentsAndBadStartsAreNormalReturns) {
  const Matrix A = Matrix::Identity(2, 2);
  const CurvedFunction f = bowl(A, Vector::Zero(2), A);
  EXPECT_EQ(minimize_quasi_newton(f, Vector::Zero(2), Vector::Ones(2), Vector::Zero(2)).status,
            MinimizeStatus::bad_arguments);
  const CurvedFunction broken = [](ConstVectorRef, double, Slope&) { return std::nan(""); };
  const MinimizeResult r =
      minimize_quasi_newton(broken, Vector::Zero(2), -Vector::Ones(2), Vector::Ones(2));
  EXPECT_EQ(r.status, MinimizeStatus::bad_start);
  EXPECT_FALSE(r.usable());
}

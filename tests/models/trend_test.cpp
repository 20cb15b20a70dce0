// SPDX-License-Identifier: MIT
// Surrogates of many outputs that share their factorizations.
#include <gtest/gtest.h>

#include <cmath>

#include "models/trend/trend_processes.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

using testing::expect_gradient;

Matrix points(Eigen::Index D, Eigen::Index n, std::uint64_t seed) {
  Rng rng(seed, "trend");
  Matrix U(D, n);
  for (double& u : U.reshaped()) u = rng.normal() / std::sqrt(static_cast<double>(D));
  return U;
}

// A plane, a bowl, and a wave of some size.
double plane(ConstVectorRef u) { return 3.0 + 2.0 * u[0] - 5.0 * u[u.size() - 1]; }
double bowl(ConstVectorRef u) { return plane(u) + 40.0 * u.squaredNorm() - 7.0 * u[0] * u[1]; }
double ripple(ConstVectorRef u) { return 1e3 * std::sin(2.0 * u[0]) * std::cos(u[1]); }

Matrix outputs_at(const Matrix& U) {
  Matrix Y(U.cols(), 3);
  for (Eigen::Index i = 0; i < U.cols(); ++i) {
    Y.row(i) << plane(U.col(i)), bowl(U.col(i)), ripple(U.col(i));
  }
  return Y;
}

TEST(TrendProcesses, KnowsAPlaneFromOneResultMoreThanItHasDimensions) {
  for (const Eigen::Index D : {1, 3, 10}) {
    const Matrix U = points(D, D + 2, 1), elsewhere = points(D, 5, 2);
    Matrix Y(U.cols(), 1);
    for (Eigen::Index i = 0; i < U.cols(); ++i) Y(i, 0) = plane(U.col(i));
    const TrendProcesses model(U, Y, Vector::Ones(U.cols()));
    for (Eigen::Index i = 0; i < elsewhere.cols(); ++i) {
      EXPECT_NEAR(model.mean(elsewhere.col(i))[0], plane(elsewhere.col(i)), 1e-4) << D;
      EXPECT_LT(model.deviation(elsewhere.col(i))[0], 1e-3) << D;
    }
  }
}

TEST(TrendProcesses, EachOutputHasItsOwnShapeAndScale) {
  const Eigen::Index D = 4;
  const Matrix U = points(D, 80, 3), elsewhere = points(D, 20, 4);
  const TrendProcesses model(U, outputs_at(U), Vector::Ones(U.cols()));
  double wave_error = 0.0, wave_size = 0.0;
  int within = 0;
  for (Eigen::Index i = 0; i < elsewhere.cols(); ++i) {
    const Vector u = elsewhere.col(i);
    const Vector mean = model.mean(u), deviation = model.deviation(u);
    EXPECT_NEAR(mean[0], plane(u), 1e-4);
    EXPECT_NEAR(mean[1], bowl(u), 1e-3);
    wave_error += std::pow(mean[2] - ripple(u), 2.0);
    wave_size += std::pow(ripple(u), 2.0);
    within += std::abs(mean[2] - ripple(u)) < 3.0 * deviation[2];
  }
  EXPECT_LT(wave_error, 0.05 * wave_size);
  EXPECT_GE(within, 17);
}

TEST(TrendProcesses, SeesNoise) {
  Rng rng(5, "noise");
  const Matrix U = points(2, 150, 6);
  Matrix Y(U.cols(), 2);
  for (Eigen::Index i = 0; i < U.cols(); ++i) {
    Y.row(i) << plane(U.col(i)) + 2.0 * rng.normal(), plane(U.col(i));
  }
  const TrendProcesses model(U, Y, Vector::Ones(U.cols()));
  EXPECT_NEAR(model.noise()[0], 2.0, 0.7);
  EXPECT_LT(model.noise()[1], 1e-3);
  EXPECT_NEAR(model.mean(Vector::Zero(2))[0], 3.0, 1.0);
}

// Results of little weight may be wrong.
TEST(TrendProcesses, WeightsSayWhichResultsCount) {
  Matrix U = points(2, 60, 7);
  Matrix Y(U.cols(), 1);
  Vector weights = Vector::Ones(U.cols());
  for (Eigen::Index i = 0; i < U.cols(); ++i) {
    Y(i, 0) = plane(U.col(i));
    if (i % 3 == 0) {
      Y(i, 0) += 3.0;
      weights[i] = 1e-9;
    }
  }
  EXPECT_NEAR(TrendProcesses(U, Y, weights).mean(Vector::Zero(2))[0], 3.0, 0.1);
}

TEST(TrendProcesses, SlopesAreDerivatives) {
  for (const Eigen::Index D : {1, 2, 6}) {
    const Matrix U = points(D < 2 ? 2 : D, 40, 8);
    const TrendProcesses model(U, outputs_at(U), Vector::Ones(U.cols()));
    const Vector u = points(U.rows(), 1, 9);
    for (Eigen::Index m = 0; m < model.outputs(); ++m) {
      Matrix slope;
      model.mean(u, &slope);
      expect_gradient([&](ConstVectorRef at) { return model.mean(at)[m]; }, u, slope.col(m));
    }
    Matrix slope;
    model.deviation(u, &slope);
    // A difference of two numbers that are nearly alike: fewer digits.
    expect_gradient([&](ConstVectorRef at) { return model.deviation(at)[2]; }, u, slope.col(2),
                    {.relative = 1e-5});
  }
}

TEST(TrendProcesses, AlikeOutputsAndASingleResultAreNoTrouble) {
  const TrendProcesses flat(points(2, 9, 10), Matrix::Constant(9, 1, 4.0), Vector::Ones(9));
  EXPECT_NEAR(flat.mean(Vector::Ones(2))[0], 4.0, 1e-9);
  const TrendProcesses one(Matrix::Zero(3, 1), Matrix::Constant(1, 1, 7.0), Vector::Ones(1));
  EXPECT_TRUE(std::isfinite(one.mean(Vector::Ones(3))[0]));
  EXPECT_TRUE(std::isfinite(one.deviation(Vector::Ones(3))[0]));
}

}  // namespace
}  // namespace vbo

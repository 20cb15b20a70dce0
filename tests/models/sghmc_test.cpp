// SPDX-License-Identifier: MIT
#include "models/sghmc/sghmc_bnn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradient_check.hpp"

namespace vbo {
namespace {

TEST(AdaptiveSghmc, GoldenValues) {
  AdaptiveSghmc sampler(1);
  Vector theta = Vector::Constant(1, 0.5);
  const Vector none = Vector::Zero(1);
  sampler.step(theta, Vector::Constant(1, 2.0), none, true);
  EXPECT_NEAR(sampler.tau()[0], 1.0000000001, 1e-12);
  EXPECT_NEAR(sampler.smoothed_gradient()[0], 1.5, 1e-12);
  EXPECT_NEAR(sampler.second_moment()[0], 2.5, 1e-12);
  EXPECT_NEAR(sampler.momentum()[0], -0.00012649110639873518, 1e-15);
  EXPECT_NEAR(theta[0], 0.49987350889360127, 1e-12);
  sampler.step(theta, Vector::Constant(1, -1.0), none, true);
  EXPECT_NEAR(sampler.tau()[0], 1.100000000046, 1e-11);
  EXPECT_NEAR(sampler.smoothed_gradient()[0], 0.2500000000625, 1e-12);
  EXPECT_NEAR(sampler.second_moment()[0], 1.7500000000375, 1e-12);
  EXPECT_NEAR(sampler.momentum()[0], -4.457365648347719e-05, 1e-15);
  EXPECT_NEAR(theta[0], 0.4998289352371178, 1e-12);
}

TEST(AdaptiveSghmc, InjectsTheStatedNoise) {
  AdaptiveSghmc with(1), without(1);
  Vector a = Vector::Constant(1, 0.5), b = a;
  with.step(a, Vector::Constant(1, 2.0), Vector::Ones(1), true);
  without.step(b, Vector::Constant(1, 2.0), Vector::Zero(1), true);
  EXPECT_NEAR(std::pow(a[0] - b[0], 2), 6.314555319936759e-06, 1e-14);
}

// On U = k theta^2/2 with the preconditioner frozen, a step is the linear recursion
//   theta' = (2 - gamma - c) theta - (1 - gamma) theta_before + N(0, n),  c = eta^2 Minv k,
// an AR(2) process, whose variance is (1-p2) n / ((1+p2) ((1-p2)^2 - p1^2)), p1 = 2 - gamma - c,
// p2 = -(1-gamma); for small steps that is 1/k, the variance of the target.
TEST(AdaptiveSghmc, StationaryVarianceOnAQuadratic) {
  constexpr Eigen::Index n = 400;
  constexpr double k = 2.0, eta = 0.03, gamma = 0.05;
  AdaptiveSghmc sampler(n, {.step_size = eta, .friction = gamma});
  Rng rng(1, "sghmc-quadratic");
  Vector theta(n), normals(n);
  for (double& t : theta) t = rng.normal() / std::sqrt(k);
  Vector sum2 = Vector::Zero(n);
  constexpr int burn_in = 2000, steps = 20000;
  for (int i = 0; i < burn_in + steps; ++i) {
    for (double& z : normals) z = rng.normal();
    sampler.step(theta, k * theta, normals, i < burn_in);
    if (i >= burn_in) sum2 += theta.cwiseAbs2() / steps;
  }
  double expected = 0.0, autocorrelation = 0.0;
  for (const double v : sampler.second_moment()) {
    const double Minv = 1.0 / std::sqrt(v), c = eta * eta * Minv * k;
    const double noise = 2.0 * eta * eta * gamma * Minv - std::pow(eta, 4);
    const double p1 = 2.0 - gamma - c, p2 = -(1.0 - gamma);
    expected += (1.0 - p2) * noise / ((1.0 + p2) * ((1.0 - p2) * (1.0 - p2) - p1 * p1)) / n;
    autocorrelation = std::max(autocorrelation, gamma / c);
  }
  // Squares decorrelate over about gamma/c steps: so many independent squares were averaged.
  const double independent = static_cast<double>(n) * steps / (2.0 * autocorrelation);
  EXPECT_NEAR(sum2.mean(), expected, 4.0 * expected * std::sqrt(2.0 / independent));
  EXPECT_NEAR(expected, 1.0 / k, 0.05 / k);
}

TEST(SghmcLoss, GradientMatchesDifferences) {
  const nn::MlpShape shape({3, 5, 4, 1});
  Rng rng(2, "sghmc-loss");
  for (const Eigen::Index b : {1, 4}) {
    Vector theta(shape.parameters() + 1), gradient(theta.size());
    for (double& t : theta) t = 0.5 * rng.normal();
    Matrix Z(3, b);
    Vector t(b);
    for (double& z : Z.reshaped()) z = rng.normal();
    for (double& v : t) v = rng.normal();
    SghmcLoss loss{shape, 20.0, 1.7, {}};
    loss(theta, Z, t, gradient);
    testing::expect_gradient(
        [&](ConstVectorRef at) {
          Vector unused(at.size());
          return loss(at, Z, t, unused);
        },
        theta, gradient);
  }
}

TEST(SghmcBnn, KeepsThePublishedNumberOfNetworks) {
  SghmcBnn model({.network = {.widths = {4}}});
  Matrix X(1, 6);
  X << 0.0, 0.2, 0.4, 0.6, 0.8, 1.0;
  model.fit(X, Vector::LinSpaced(6, -1.0, 1.0), Rng(1, "fit"));
  EXPECT_EQ(model.ensemble().members.cols(), 199);
}

TEST(SghmcBnn, LearnsASmoothFunction) {
  SghmcBnn model({.network = {.widths = {32, 32}}, .steps = 6000, .burn_in = 3000, .chains = 2});
  Matrix X(1, 25);
  Vector y(25);
  for (Eigen::Index i = 0; i < 25; ++i) {
    X(0, i) = static_cast<double>(i) / 24.0;
    y[i] = 100.0 + 20.0 * std::sin(6.0 * X(0, i));
  }
  const FitReport report = model.fit(X, y, Rng(3, "fit"));
  const auto posterior = model.marginals(X);
  EXPECT_LT((posterior->mean() - y).norm() / 5.0,
            6.0);  // root mean square, against 14 for a constant
  EXPECT_EQ(report.values[0].name, "effective-samples");
}

TEST(SghmcBnn, ARunawayStepIsCalmedAndReported) {
  SghmcBnn model({.network = {.widths = {8}},
                  .sampler = {.step_size = 50.0, .friction = 0.9},
                  .steps = 400,
                  .burn_in = 200});
  Matrix X(1, 4);
  X << 0.1, 0.4, 0.6, 0.9;
  const FitReport report = model.fit(X, Vector::LinSpaced(4, 0.0, 1.0), Rng(1, "fit"));
  EXPECT_EQ(report.status, FitReport::Status::fallback);
  EXPECT_NE(report.message.find("diverged"), std::string::npos);
  EXPECT_TRUE(model.marginals(X)->mean().allFinite());
}

}  // namespace
}  // namespace vbo

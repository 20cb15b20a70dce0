// SPDX-License-Identifier: MIT
#include "models/gp/likelihood.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "models/models_support.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;
using testing::SmallData;

StationaryKernel small_kernel() { return {Shape::matern52, Vector{{1.0 / 0.5, 1.0 / 0.8}}, 1.3}; }

TEST(Likelihood, ReferenceValues) {
  const SmallData data;
  LikelihoodWorkspace work;
  LikelihoodGradient g;
  const LikelihoodValue value =
      log_likelihood(small_kernel(), 0.05, 0.1, data.X, data.y, work, &g, true);
  ASSERT_TRUE(value.ok);
  EXPECT_NEAR(value.value, -9.82044504279613, 1e-11);
  EXPECT_NEAR(g.log_lengthscales[0] / 0.5, -10.958025568972651, 1e-10);
  EXPECT_NEAR(g.log_lengthscales[1] / 0.8, -5.4995422425052, 1e-10);
  EXPECT_NEAR(g.log_variance / 1.3, 2.180312964752158, 1e-10);
  EXPECT_NEAR(g.noise_variance, 36.016029535382536, 1e-10);
  EXPECT_NEAR(g.mean, -0.44001261998990593, 1e-11);
  const Matrix dX{{0.6835661811, -26.3428518347, 2.7611275405, 22.8981581131},
                  {-1.2427920872, 13.5524766590, -2.6693560466, -9.6403285253}};
  EXPECT_LT((g.X - dX).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Likelihood, GradientMatchesDifferences) {
  Rng rng(1, "likelihood");
  for (const Shape shape : {Shape::matern52, Shape::rbf}) {
    for (const Eigen::Index D : {1, 2, 5, 10}) {
      for (const Eigen::Index n : {1, 2, 12}) {
        const Matrix X = random_matrix(D, n, rng);
        const Vector z = random_matrix(n, 1, rng);
        LikelihoodWorkspace work;
        // theta = log lengthscales, log variance, log noise, mean
        Vector theta = Vector::Zero(D + 3);
        for (double& t : theta) t = rng.uniform(-1.0, 0.5);
        const auto at = [&](ConstVectorRef t, LikelihoodGradient* g) {
          const StationaryKernel kernel(shape, (-t.head(D)).array().exp(), std::exp(t[D]));
          return log_likelihood(kernel, std::exp(t[D + 1]), t[D + 2], X, z, work, g).value;
        };
        LikelihoodGradient g;
        at(theta, &g);
        Vector analytic(D + 3);
        analytic << g.log_lengthscales, g.log_variance, std::exp(theta[D + 1]) * g.noise_variance,
            g.mean;
        testing::expect_gradient([&](ConstVectorRef t) { return at(t, nullptr); }, theta, analytic);
      }
    }
  }
}

TEST(Likelihood, GradientWithKnownVariancesMatchesDifferences) {
  Rng rng(4, "likelihood");
  const Matrix X = random_matrix(3, 12, rng);
  const Vector z = random_matrix(12, 1, rng);
  LikelihoodWorkspace work;
  work.known = random_matrix(12, 1, rng).cwiseAbs();
  const auto at = [&](ConstVectorRef t, LikelihoodGradient* g) {
    const StationaryKernel kernel(Shape::matern52, (-t.head(3)).array().exp(), std::exp(t[3]));
    return log_likelihood(kernel, std::exp(t[4]), t[5], X, z, work, g).value;
  };
  Vector theta(6);
  for (double& t : theta) t = rng.uniform(-1.0, 0.5);
  LikelihoodGradient g;
  at(theta, &g);
  Vector analytic(6);
  analytic << g.log_lengthscales, g.log_variance, std::exp(theta[4]) * g.noise_variance, g.mean;
  testing::expect_gradient([&](ConstVectorRef t) { return at(t, nullptr); }, theta, analytic);
  // Equal ones are the same as noise.
  const StationaryKernel kernel = StationaryKernel(Shape::matern52, Vector{{1.0, 2.0, 0.5}}, 1.3);
  work.known = Vector::Constant(12, 0.2);
  const double known = log_likelihood(kernel, 0.1, 0.0, X, z, work, nullptr).value;
  LikelihoodWorkspace plain;
  EXPECT_NEAR(known, log_likelihood(kernel, 0.3, 0.0, X, z, plain, nullptr).value, 1e-10);
}

TEST(Likelihood, InputGradientMatchesDifferences) {
  Rng rng(2, "likelihood");
  const Vector z = random_matrix(6, 1, rng);
  const Matrix X = random_matrix(3, 6, rng);
  for (const Shape shape : {Shape::matern52, Shape::rbf}) {
    const StationaryKernel kernel(shape, Vector{{2.0, 1.0, 0.4}}, 0.8);
    LikelihoodWorkspace work;
    LikelihoodGradient g;
    log_likelihood(kernel, 0.1, 0.2, X, z, work, &g, true);
    testing::expect_matrix_gradient(
        [&](const Matrix& at) {
          return log_likelihood(kernel, 0.1, 0.2, at, z, work, nullptr).value;
        },
        X, g.X);
  }
}

TEST(Likelihood, ProfiledMeanIsTheBestMean) {
  const SmallData data;
  LikelihoodWorkspace work;
  LikelihoodGradient g;
  const auto value = [&](std::optional<double> mean) {
    return log_likelihood(small_kernel(), 0.05, mean, data.X, data.y, work, &g);
  };
  const LikelihoodValue profiled = value(std::nullopt);
  EXPECT_NEAR(value(profiled.mean).value, profiled.value, 1e-12);
  EXPECT_NEAR(g.mean, 0.0, 1e-12);
  EXPECT_LT(value(profiled.mean + 0.1).value, profiled.value);
}

// Probes sqrt(n) e_i average to the identity exactly, so the estimate is the information itself.
TEST(Likelihood, InformationIsHalfTheTraceOfTheDerivatives) {
  Rng rng(5, "information");
  const Eigen::Index D = 3, n = 9;
  const Matrix X = random_matrix(D, n, rng);
  const Vector z = random_matrix(n, 1, rng);
  const Vector theta{{-0.3, 0.2, -0.8, 0.4, 0.07}};  // log lengthscales, log variance, noise
  for (const Shape shape : {Shape::matern52, Shape::rbf}) {
    const auto kernel = [&](const Vector& t) {
      return StationaryKernel(shape, (-t.head(D)).array().exp(), std::exp(t[D]));
    };
    const auto covariance = [&](const Vector& t) -> Matrix {
      return kernel(t).cross(X, X) + t[D + 1] * Matrix::Identity(n, n);
    };
    std::vector<Matrix> solved;  // K_y^-1 dK_y/dtheta_a
    for (Eigen::Index a = 0; a < D + 2; ++a) {
      const Vector h = 1e-6 * Vector::Unit(D + 2, a);
      const Matrix derivative = (covariance(theta + h) - covariance(theta - h)) / 2e-6;
      solved.push_back(covariance(theta).llt().solve(derivative));
    }
    LikelihoodWorkspace work;
    work.probes = std::sqrt(static_cast<double>(n)) * Matrix::Identity(n, n);
    LikelihoodGradient g;
    log_likelihood(kernel(theta), theta[D + 1], std::nullopt, X, z, work, &g);
    ASSERT_EQ(g.information.rows(), D + 2);
    for (Eigen::Index a = 0; a < D + 2; ++a) {
      for (Eigen::Index b = 0; b < D + 2; ++b) {
        const double exact =
            0.5 *
            (solved[static_cast<std::size_t>(a)] * solved[static_cast<std::size_t>(b)]).trace();
        EXPECT_NEAR(g.information(a, b), exact, 1e-6 * (1.0 + std::abs(exact))) << a << b;
      }
    }
  }
}

TEST(Likelihood, NoGradientBelowTheLeastValue) {
  const SmallData data;
  LikelihoodWorkspace work;
  LikelihoodGradient g;
  const LikelihoodValue value =
      log_likelihood(small_kernel(), 0.05, 0.1, data.X, data.y, work, &g, false, -9.0);
  ASSERT_TRUE(value.ok);
  EXPECT_NEAR(value.value, -9.82044504279613, 1e-11);
  EXPECT_EQ(g.log_lengthscales.size(), 0);
  EXPECT_FALSE(value.has_gradient);
  const Matrix L = work.K.triangularView<Eigen::Lower>();
  const Matrix K = small_kernel().cross(data.X, data.X) + 0.05 * Matrix::Identity(4, 4);
  EXPECT_LT((L * L.transpose() - K).cwiseAbs().maxCoeff(), 1e-13);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "models/laplace/laplace_bnn.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "support/gradient_check.hpp"

namespace vbo {
namespace {

// The small tanh network 2-3-2-1 of the golden values, in the order W_1 (by columns), b_1, ...
struct Golden {
  nn::MlpShape shape{std::vector<int>{2, 3, 2, 1}};
  Vector theta{{.5, .8,  -.6, -.3, .2, .9,  .1, -.2, .05,  //
                .4, .3,  -.7, .5,  .2, -.1, .3, -.1,       //
                .9, -.8, .2}};
  Matrix X{{.1, .4, .8, .6}, {.2, .9, .3, .7}};
  Vector y{{.5, -1.2, .3, 1.0}};
  Matrix at{{.25, .7}, {.65, .1}};  // x and x'
  double sigma2 = 0.3, delta = 0.8;
};

TEST(LaplaceKfac, GoldenValues) {
  const Golden g;
  const auto curvature = kfac_curvature(g.shape, jacobian(g.shape, g.theta, g.X), g.sigma2);
  curvature->set_prior_precision(g.delta);
  const Jacobian J = jacobian(g.shape, g.theta, g.at);
  EXPECT_NEAR(J.f[0], 0.5286800713397513, 1e-12);
  EXPECT_NEAR(J.f[1], 0.1551634110237854, 1e-12);
  const Matrix C = curvature->covariance(J);
  EXPECT_NEAR(C(0, 0), 0.47895338422912515, 1e-10);
  EXPECT_NEAR(C(0, 1), 0.15051639180426474, 1e-10);
  EXPECT_NEAR(C(1, 0), 0.15051639180426474, 1e-10);
  EXPECT_NEAR(C(1, 1), 0.6198667035447712, 1e-10);
  EXPECT_LT((curvature->variance(J) - C.diagonal()).cwiseAbs().maxCoeff(), 1e-12);

  // The gradient of the variance at x, and of Cov(x,x') by x.
  Jacobian adjoint = curvature->pull_variance(J, Vector{{1.0, 0.0}});
  adjoint.f = Vector::Zero(2);
  const Matrix by_variance = pullback(g.shape, g.theta, J, adjoint);
  EXPECT_NEAR(by_variance(0, 0), -0.51094712060858, 1e-9);
  EXPECT_NEAR(by_variance(1, 0), 0.6114425063145659, 1e-9);
  Jacobian crossed = curvature->pull_covariance(J, Matrix{{0.0, 0.5}, {0.5, 0.0}});
  crossed.f = Vector::Zero(2);
  const Matrix by_covariance = pullback(g.shape, g.theta, J, crossed);
  EXPECT_NEAR(by_covariance(0, 0), 0.6463146381322858, 1e-9);
  EXPECT_NEAR(by_covariance(1, 0), -0.3331498957494436, 1e-9);
}

TEST(LaplaceEvidence, GoldenValues) {
  const Golden g;
  const Jacobian data = jacobian(g.shape, g.theta, g.X);
  const auto curvature = kfac_curvature(g.shape, data, g.sigma2);
  const Evidence evidence{curvature->eigenvalues(), g.sigma2, (data.f - g.y).squaredNorm(), 4.0,
                          g.theta.squaredNorm()};
  EXPECT_NEAR(evidence.value(g.delta), -16.249427739446176, 1e-9);
  EXPECT_NEAR(evidence.derivative(g.delta), 1.3711547191862206, 1e-9);
  EXPECT_NEAR(maximize_evidence(evidence, 50), 1.239927514710651, 1e-6);
  const auto by_log = [&](ConstVectorRef log_delta) {
    return evidence.value(std::exp(log_delta[0]));
  };
  testing::expect_gradient(by_log, Vector::Constant(1, 0.3),
                           Vector::Constant(1, evidence.derivative(std::exp(0.3))));
}

// Row i of the dense Jacobian (q,W).
Matrix dense(const nn::MlpShape& shape, const Jacobian& J) {
  Matrix rows(J.points(), shape.parameters());
  for (Eigen::Index i = 0; i < J.points(); ++i) {
    rows.row(i) = transpose_times(shape, J, Vector::Unit(J.points(), i)).transpose();
  }
  return rows;
}

TEST(LaplaceJacobian, MatchesDifferencesAndItsOwnProducts) {
  const Golden g;
  const Jacobian J = jacobian(g.shape, g.theta, g.at);
  const Matrix rows = dense(g.shape, J);
  for (Eigen::Index i = 0; i < 2; ++i) {
    testing::expect_gradient(
        [&](ConstVectorRef theta) { return jacobian(g.shape, theta, g.at).f[i]; }, g.theta,
        rows.row(i).transpose());
  }
  const Vector w = Vector::LinSpaced(g.shape.parameters(), -1.0, 1.0);
  EXPECT_LT((times(g.shape, J, w) - rows * w).norm(), 1e-12);
  const Jacobian data = jacobian(g.shape, g.theta, g.X);
  EXPECT_LT((gram(data, J) - dense(g.shape, data) * rows.transpose()).norm(), 1e-12);
}

TEST(LaplaceFunctionSpace, EqualsTheDenseGaussNewtonInverse) {
  const Golden g;
  const Jacobian data = jacobian(g.shape, g.theta, g.X), J = jacobian(g.shape, g.theta, g.at);
  const auto curvature = function_space_curvature(g.shape, data, g.sigma2);
  curvature->set_prior_precision(g.delta);
  const Matrix Jn = dense(g.shape, data), Jx = dense(g.shape, J);
  const Matrix P = Jn.transpose() * Jn / g.sigma2 +
                   g.delta * Matrix::Identity(g.shape.parameters(), g.shape.parameters());
  const Matrix expected = Jx * P.inverse() * Jx.transpose();
  const Matrix C = curvature->covariance(J);
  EXPECT_LT((C - expected).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(C(0, 1), -0.023826017626524, 1e-10);
  EXPECT_LT((curvature->variance(J) - C.diagonal()).cwiseAbs().maxCoeff(), 1e-12);
}

// Both forms: gradients of variance and covariance by x, for tanh and relu, at q = 1 and 3.
TEST(LaplaceCurvature, GradientsMatchDifferences) {
  Rng rng(4, "laplace-gradients");
  // Small enough to meet no kink of a relu, large enough for rounding.
  constexpr GradientTolerance close_differences{.relative = 1e-5, .relative_step = 1e-6};
  for (const nn::Activation activation : {nn::Activation::tanh, nn::Activation::relu}) {
    const nn::MlpShape shape({3, 6, 5, 1}, activation);
    Vector theta(shape.parameters());
    for (double& t : theta) t = 0.7 * rng.normal();
    Matrix data(3, 7);
    for (double& x : data.reshaped()) x = rng.uniform();
    for (const bool kfac : {true, false}) {
      const Jacobian at_data = jacobian(shape, theta, data);
      const auto curvature = kfac ? kfac_curvature(shape, at_data, 0.2)
                                  : function_space_curvature(shape, at_data, 0.2);
      curvature->set_prior_precision(0.6);
      for (const Eigen::Index q : {1, 3}) {
        Matrix X(3, q), c(q, q);
        for (double& x : X.reshaped()) x = rng.uniform();
        for (double& v : c.reshaped()) v = rng.normal();
        c = (c + c.transpose()).eval();
        const Vector weights = c.diagonal();
        const Jacobian J = jacobian(shape, theta, X);
        Jacobian adjoint = curvature->pull_covariance(J, c);
        adjoint.f = weights;
        testing::expect_matrix_gradient(
            [&](const Matrix& at) {
              const Jacobian there = jacobian(shape, theta, at);
              return curvature->covariance(there).cwiseProduct(c).sum() + there.f.dot(weights);
            },
            X, pullback(shape, theta, J, adjoint), close_differences);
        Jacobian alone = curvature->pull_variance(J, weights);
        alone.f = Vector::Zero(q);
        testing::expect_matrix_gradient(
            [&](const Matrix& at) {
              return curvature->variance(jacobian(shape, theta, at)).dot(weights);
            },
            X, pullback(shape, theta, J, alone), close_differences);
      }
    }
  }
}

// Weight draws have the covariance that the formulas give: 4 standard errors of 4000 draws.
TEST(LaplaceCurvature, DrawsHaveTheStatedCovariance) {
  const Golden g;
  const Jacobian data = jacobian(g.shape, g.theta, g.X), J = jacobian(g.shape, g.theta, g.at);
  for (const bool kfac : {true, false}) {
    const auto curvature = kfac ? kfac_curvature(g.shape, data, g.sigma2)
                                : function_space_curvature(g.shape, data, g.sigma2);
    curvature->set_prior_precision(g.delta);
    const Matrix C = curvature->covariance(J);
    Matrix sum = Matrix::Zero(2, 2);
    constexpr int draws = 4000;
    Rng rng(6, "laplace-draws");
    for (int s = 0; s < draws; ++s) {
      const Vector f = times(g.shape, J, curvature->draw(rng));
      sum += f * f.transpose() / draws;
    }
    for (Eigen::Index i = 0; i < 2; ++i) {
      for (Eigen::Index j = 0; j < 2; ++j) {
        const double variance = C(i, i) * C(j, j) + C(i, j) * C(i, j);
        EXPECT_NEAR(sum(i, j), C(i, j), 4.0 * std::sqrt(variance / draws));
      }
    }
  }
}

// A network without hidden layers is linear regression: the function-space form must give its exact
// posterior.
TEST(LaplaceFunctionSpace, IsExactForALinearModel) {
  const nn::MlpShape linear({3, 1});
  Rng rng(8, "linear");
  Matrix X(3, 12), at(3, 4);
  for (double& x : X.reshaped()) x = rng.normal();
  for (double& x : at.reshaped()) x = rng.normal();
  const Vector theta = Vector::LinSpaced(4, -0.4, 0.7);
  constexpr double sigma2 = 0.25, delta = 1.5;
  const auto curvature = function_space_curvature(linear, jacobian(linear, theta, X), sigma2);
  curvature->set_prior_precision(delta);
  const auto with_ones = [](const Matrix& M) {
    Matrix out(M.rows() + 1, M.cols());
    out << M, Matrix::Ones(1, M.cols());
    return out;
  };
  const Matrix P =
      with_ones(X) * with_ones(X).transpose() / sigma2 + delta * Matrix::Identity(4, 4);
  const Matrix expected = with_ones(at).transpose() * P.inverse() * with_ones(at);
  const Matrix C = curvature->covariance(jacobian(linear, theta, at));
  EXPECT_LT((C - expected).cwiseAbs().maxCoeff(), 1e-11);
}

}  // namespace
}  // namespace vbo

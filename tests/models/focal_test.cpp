// SPDX-License-Identifier: MIT
#include "models/focal/focal_gp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/models_support.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;

struct Reference {
  Matrix X{{0.1, 0.4, 0.8, 0.6, 0.95}, {0.2, 0.9, 0.3, 0.7, 0.9}};
  Vector z{{0.5, -1.2, 0.3, 1.0, -0.4}};
  FocalRegion region{Vector{{0.5, 0.2}}, Vector{{0.9, 0.8}}};
  FocalParameters p{Matrix{{0.2, 0.7, 0.5}, {0.3, 0.6, 0.1}},
                    Vector{{0.3, -0.2, 0.1}},
                    Matrix{{0.9, 0.0, 0.0}, {0.1, 0.8, 0.0}, {-0.05, 0.2, 0.7}},
                    Vector{{0.6, 0.9}},
                    1.2,
                    0.3,
                    0.05};
};

TEST(FocalObjective, ReferenceValues) {
  const Reference data;
  FocalParameters g;
  const FocalObjective f = focal_objective(data.p, data.X, data.z, data.region, &g);
  ASSERT_TRUE(f.ok);
  const Vector w{{0.7277627413914987, 0.9678909285737348, 1, 1, 0.9842541208201107}};
  EXPECT_LT((f.weights - w).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(f.inside, 2);
  EXPECT_NEAR(f.expected, -2.931585334013548, 1e-9);
  EXPECT_NEAR(f.divergence, 0.25142901091076864, 1e-12);
  EXPECT_NEAR(f.value, -4.321825031588373, 1e-9);
  const Matrix dZ{{-0.17576294170, -0.05222847173, 0.07569697582},
                  {-0.23210537758, 0.07507890432, 0.02826154005}};
  EXPECT_LT((g.Z - dZ).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((g.mean - Vector{{-0.23894173056, -0.01688312735, 0.24099816630}}).norm(), 1e-8);
  EXPECT_NEAR(g.root(0, 0), -1.54832824056, 1e-8);
  EXPECT_NEAR(g.root(1, 0), -1.18937178075, 1e-8);
  EXPECT_NEAR(g.root(1, 1), -1.16672315550, 1e-8);
  EXPECT_NEAR(g.root(2, 0), 0.12648826819, 1e-8);
  EXPECT_NEAR(g.root(2, 1), -0.01279557380, 1e-8);
  EXPECT_NEAR(g.root(2, 2), 0.04913707194, 1e-8);
  EXPECT_NEAR(g.lengthscales[0], -0.08068711367, 1e-8);
  EXPECT_NEAR(g.lengthscales[1], -0.14443584722, 1e-8);
  EXPECT_NEAR(g.variance, -1.36475414669, 1e-8);
  EXPECT_NEAR(g.noise_variance, 7.04877740143, 1e-8);
  EXPECT_NEAR(g.constant, -0.33610654250, 1e-8);
}

TEST(FocalObjective, ClosedFormInducingIsTheMaximum) {
  Reference data;
  optimal_inducing(data.p, data.X, data.z, data.region);
  FocalParameters g;
  const FocalObjective f = focal_objective(data.p, data.X, data.z, data.region, &g);
  EXPECT_NEAR(f.value, -3.3175210349323403, 1e-8);
  EXPECT_LT(g.mean.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(g.root.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(FocalObjective, GradientMatchesDifferences) {
  Rng rng(1, "focal");
  for (const Eigen::Index D : {1, 3}) {
    const Eigen::Index n = 8, m = 4;
    const Matrix X = random_matrix(D, n, rng);
    const Vector z = random_matrix(n, 1, rng);
    const FocalRegion region{Vector::Constant(D, 0.3), Vector::Constant(D, 0.7)};
    Vector theta(D * m + m + m * m + D + 3);
    for (double& t : theta) t = rng.uniform(0.2, 1.0);
    const auto unpack = [&](ConstVectorRef t) {
      FocalParameters p;
      const double* at = t.data();
      p.Z = Eigen::Map<const Matrix>(at, D, m);
      p.mean = Eigen::Map<const Vector>(at + D * m, m);
      p.root = Eigen::Map<const Matrix>(at + D * m + m, m, m).triangularView<Eigen::Lower>();
      p.lengthscales = t.segment(D * m + m + m * m, D);
      p.variance = t[t.size() - 3];
      p.noise_variance = t[t.size() - 2];
      p.constant = t[t.size() - 1];
      return p;
    };
    FocalParameters g;
    focal_objective(unpack(theta), X, z, region, &g);
    Vector analytic(theta.size());
    analytic << g.Z.reshaped(), g.mean, g.root.reshaped(), g.lengthscales, g.variance,
        g.noise_variance, g.constant;
    testing::expect_gradient(
        [&](ConstVectorRef t) { return focal_objective(unpack(t), X, z, region, nullptr).value; },
        theta, analytic, {.relative = 1e-5, .floor = 1e-2, .relative_step = 1e-4});
  }
}

TEST(FocalGp, PredictsInsideItsRegionAndPullsBack) {
  Rng rng(2, "focal");
  const Matrix X = random_matrix(2, 80, rng);
  Vector y(80);
  for (Eigen::Index i = 0; i < 80; ++i) y[i] = 10.0 + std::sin(5.0 * X(0, i)) + X(1, i);
  const FocalRegion region{Vector::Constant(2, 0.2), Vector::Constant(2, 0.8)};
  FocalGp model({.inducing = 30}, region);
  model.fit(X, y, Rng(1, "fit"));
  const Matrix at = (0.2 + 0.6 * random_matrix(2, 20, rng).array()).matrix();
  const auto p = model.marginals(at);
  for (Eigen::Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(p->mean()[i], 10.0 + std::sin(5.0 * at(0, i)) + at(1, i), 0.35);
  }
  const Matrix some = at.leftCols(3);
  const Vector a = random_matrix(3, 1, rng), b = random_matrix(3, 1, rng);
  Matrix C = random_matrix(3, 3, rng);
  C = (C + C.transpose()).eval();
  testing::expect_matrix_gradient(
      [&](const Matrix& x) {
        const auto q = model.marginals(x);
        return q->mean().dot(a) + q->variance().dot(b);
      },
      some, model.marginals(some)->pullback(a, b), {.relative = 1e-5, .relative_step = 1e-4});
  testing::expect_matrix_gradient(
      [&](const Matrix& x) {
        const auto q = model.posterior(x);
        return q->mean().dot(a) + q->covariance().cwiseProduct(C).sum();
      },
      some, model.posterior(some)->pullback_joint(a, C), {.relative = 1e-5, .relative_step = 1e-4});
}

TEST(FocalGp, DegenerateDataStaysFinite) {
  const Matrix X = Matrix::Constant(2, 6, 0.5);
  const FocalRegion region{Vector::Zero(2), Vector::Ones(2)};
  for (const Vector& y : {Vector(Vector::Constant(6, 2.0)), Vector{{1, 2, 1, 2, 1e6, 0}}}) {
    for (const Eigen::Index n : {1, 6}) {
      FocalGp model({.inducing = 5, .epochs = 50}, region);
      model.fit(X.leftCols(n), y.head(n), Rng(1, "fit"));
      EXPECT_TRUE(model.marginals(X)->mean().allFinite());
      EXPECT_FALSE(model.marginals(X)->variance().hasNaN());
    }
  }
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// A mean that falls away from the origin, by itself and in everything that predicts with it.
#include "models/gp/quadratic_mean.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <memory>

#include "models/gp/gp.hpp"
#include "models/gp/likelihood.hpp"
#include "models/models_support.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;

// Two numbers that count and a coordinate that does not.
QuadraticMean small_quadratic() { return {Vector{{2.0, 0.5, 0.0}}, 20.0}; }

TEST(QuadraticMean, GrowsWithTheSquaredDistanceUpToItsBound) {
  const QuadraticMean quadratic = small_quadratic();
  Matrix U(3, 4);
  U.col(0) << 0.0, 0.0, 7.0;    // at the top, whatever the third coordinate
  U.col(1) << 1.0, 2.0, 0.0;    // t = 4
  U.col(2) << 1e-3, 0.0, 0.0;   // t = 2e-6: the square, but for a ten-millionth
  U.col(3) << 1e6, -1e6, 30.0;  // far away
  const Vector b = quadratic.at(U);
  EXPECT_EQ(b[0], 0.0);
  EXPECT_NEAR(b[1], 4.0 / 1.2, 1e-14);
  EXPECT_NEAR(b[2], 2e-6, 1e-12);
  EXPECT_NEAR(b[3], 20.0, 1e-9);
  EXPECT_LT(b[3], 20.0);
  EXPECT_TRUE(QuadraticMean().empty());
  EXPECT_FALSE(quadratic.empty());
}

TEST(QuadraticMean, PullbackMatchesDifferences) {
  Rng rng(1, "hill");
  const Matrix U = 3.0 * random_matrix(3, 5, rng);
  const Vector weights = random_matrix(5, 1, rng);
  testing::expect_matrix_gradient(
      [&](const Matrix& u) { return small_quadratic().at(u).dot(weights); }, U,
      small_quadratic().pullback(U, weights));
}

// Data of a bowl, y = 3 - 2 b(u) and some of a process, seen by a kernel of its own.
struct Bowl {
  Rng rng{3, "bowl"};
  Matrix X = random_matrix(3, 14, rng), at = random_matrix(3, 4, rng);
  Vector y = 3.0 - 2.0 * small_quadratic().at(X).array() + 0.3 * random_matrix(14, 1, rng).array();
  std::shared_ptr<const StationaryKernel> kernel =
      std::make_shared<StationaryKernel>(Shape::matern52, Vector{{1.0, 2.0, 0.7}}, 0.9);
  Standardize output = Standardize::of(y);
  Regression::Parameters parameters{kernel, 0.4, 0.02, output, small_quadratic(), -0.7};
};

TEST(QuadraticMean, RegressionMatchesADenseReference) {
  const Bowl bowl;
  const Regression model(bowl.parameters, bowl.X, bowl.y);
  const auto prior = [&](const Matrix& X) -> Vector {
    return 0.4 - 0.7 * small_quadratic().at(X).array();
  };
  const Matrix k = bowl.kernel->cross(bowl.X, bowl.at);
  const Matrix K = bowl.kernel->cross(bowl.X, bowl.X) + 0.02 * Matrix::Identity(14, 14);
  const Vector z = bowl.output.apply(bowl.y) - prior(bowl.X);
  const Vector mean = prior(bowl.at) + k.transpose() * K.inverse() * z;
  const Vector expected = bowl.output.offset + bowl.output.scale * mean.array();
  const auto p = model.posterior(bowl.at, true);
  EXPECT_LT((p->mean() - expected).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((model.mean(bowl.at) - expected).cwiseAbs().maxCoeff(), 1e-10);
  // A mean says nothing about how sure one is.
  const Regression plain({bowl.kernel, 0.4, 0.02, bowl.output}, bowl.X, bowl.y);
  EXPECT_LT((p->covariance() - plain.posterior(bowl.at, true)->covariance()).norm(), 1e-14);
}

TEST(QuadraticMean, RegressionPullbacksMatchDifferences) {
  const Bowl bowl;
  const Regression model(bowl.parameters, bowl.X, bowl.y);
  Rng rng(4, "hill");
  const Vector a = random_matrix(4, 1, rng), b = random_matrix(4, 1, rng);
  testing::expect_matrix_gradient(
      [&](const Matrix& x) {
        const auto p = model.posterior(x, false);
        return p->mean().dot(a) + p->variance().dot(b);
      },
      bowl.at, model.posterior(bowl.at, false)->pullback(a, b));
  const Matrix C = Matrix::Identity(4, 4);
  testing::expect_matrix_gradient(
      [&](const Matrix& x) {
        const auto p = model.posterior(x, true);
        return p->mean().dot(a) + p->covariance().cwiseProduct(C).sum();
      },
      bowl.at, model.posterior(bowl.at, true)->pullback_joint(a, C));
  testing::expect_matrix_gradient([&](const Matrix& x) { return model.mean(x).dot(a); }, bowl.at,
                                  model.mean_slope(bowl.at, a));
}

TEST(QuadraticMean, ARegressionThatLearnsKeepsIt) {
  const Bowl bowl;
  const Regression whole(bowl.parameters, bowl.X, bowl.y);
  Regression grown(bowl.parameters, bowl.X.leftCols(5), bowl.y.head(5));
  WatchedPoints watched(grown, bowl.at);
  grown.append(bowl.X.rightCols(9), bowl.y.tail(9));
  watched.follow(grown);
  EXPECT_LT((grown.mean(bowl.at) - whole.mean(bowl.at)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((watched.mean() - whole.mean(bowl.at)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(grown.log_likelihood(), whole.log_likelihood(), 1e-9);
}

TEST(QuadraticMean, LikelihoodProfilesTheBestDownwardSlope) {
  const Bowl bowl;
  const Vector z = bowl.output.apply(bowl.y);
  LikelihoodWorkspace work;
  work.quadratic = small_quadratic().at(bowl.X);
  const LikelihoodValue best =
      log_likelihood(*bowl.kernel, 0.02, std::nullopt, bowl.X, z, work, nullptr);
  ASSERT_TRUE(best.ok);
  EXPECT_LT(best.slope, -0.1);
  const auto at = [&](double mean, double slope) {
    Regression::Parameters p = bowl.parameters;
    p.mean = mean;
    p.slope = slope;
    return Regression(p, bowl.X, bowl.y).log_likelihood();
  };
  EXPECT_NEAR(at(best.mean, best.slope), best.value, 1e-9);
  for (const double step : {-0.01, 0.01}) {
    EXPECT_LT(at(best.mean + step, best.slope), best.value);
    EXPECT_LT(at(best.mean, best.slope + step), best.value);
  }
  // Data of a hollow: it would rise, so there is none.
  const Vector rising = -z;
  const LikelihoodValue flat =
      log_likelihood(*bowl.kernel, 0.02, std::nullopt, bowl.X, rising, work, nullptr);
  EXPECT_EQ(flat.slope, 0.0);
  LikelihoodWorkspace plain;
  const LikelihoodValue without =
      log_likelihood(*bowl.kernel, 0.02, std::nullopt, bowl.X, rising, plain, nullptr);
  EXPECT_NEAR(flat.value, without.value, 1e-10);
  EXPECT_NEAR(flat.mean, without.mean, 1e-10);
}

// At the best c and s their own derivatives are zero, so those of the kernel are all there are.
TEST(QuadraticMean, LikelihoodGradientMatchesDifferences) {
  const Bowl bowl;
  const Vector z = bowl.output.apply(bowl.y);
  for (const double sign : {1.0, -1.0}) {  // with a slope, and where it is held at zero
    LikelihoodWorkspace work;
    work.quadratic = small_quadratic().at(bowl.X);
    const auto at = [&](ConstVectorRef t, LikelihoodGradient* g) {
      const StationaryKernel kernel(Shape::matern52, (-t.head(3)).array().exp(), std::exp(t[3]));
      return log_likelihood(kernel, std::exp(t[4]), std::nullopt, bowl.X, sign * z, work, g).value;
    };
    const Vector theta{{-0.2, 0.3, 0.1, -0.4, -2.0}};
    LikelihoodGradient g;
    at(theta, &g);
    Vector analytic(5);
    analytic << g.log_lengthscales, g.log_variance, std::exp(theta[4]) * g.noise_variance;
    testing::expect_gradient([&](ConstVectorRef t) { return at(t, nullptr); }, theta, analytic);
  }
}

// Results around the top of a quadratic mean with ripples: far from all of them a process with a
// constant mean expects what it has seen, one with a quadratic mean far less.
TEST(QuadraticMean, AFittedProcessExpectsLessFarAway) {
  Rng rng(5, "hill");
  const Matrix X = random_matrix(2, 40, rng);
  const Vector y = -X.colwise().squaredNorm().transpose() +
                   0.3 * (20.0 * X.row(0).array()).sin().matrix().transpose();
  GpOptions options = GpOptions::standard(2);
  GaussianProcess plain(options);
  plain.fit(X, y, Rng(6, "fit"));
  options.quadratic = QuadraticMean{Vector::Constant(2, 0.5), 100.0};
  GaussianProcess hilly(options);
  hilly.fit(X, y, Rng(6, "fit"));
  EXPECT_LT(hilly.parameters().slope, 0.0);
  EXPECT_EQ(plain.parameters().slope, 0.0);
  const Matrix far = Matrix::Constant(2, 1, 30.0);
  EXPECT_LT(hilly.regression().mean(far)[0], plain.regression().mean(far)[0] - 10.0);
  EXPECT_NEAR(hilly.regression().mean(X)[0], y[0], 0.05);
  // Functions drawn from it do so too.
  const Matrix drawn = hilly.sample_functions(far, 50, false, rng);
  EXPECT_LT(drawn.maxCoeff(), y.minCoeff());
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "models/gp/gp.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "models/models_support.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;
using testing::SmallData;

Regression small_regression() {
  const SmallData data;
  return {{std::make_shared<StationaryKernel>(Shape::matern52, Vector{{2.0, 1.25}}, 1.3), 0.1, 0.05,
           Standardize{}},
          data.X,
          data.y};
}

TEST(Regression, ReferenceValues) {
  const Regression model = small_regression();
  EXPECT_NEAR(model.log_likelihood(), -9.82044504279613, 1e-11);
  const auto p = model.posterior(SmallData().at, true);
  EXPECT_NEAR(p->mean()[0], -0.07022825120905782, 1e-12);
  EXPECT_NEAR(p->mean()[1], 0.7233069581459425, 1e-12);
  EXPECT_NEAR(p->covariance()(0, 0), 0.18392727837310563, 1e-12);
  EXPECT_NEAR(p->covariance()(1, 0), 0.029397784801669435, 1e-12);
  EXPECT_NEAR(p->covariance()(1, 1), 0.06336125585055274, 1e-12);
}

TEST(Regression, PosteriorMatchesADenseReferenceInUnitsOfY) {
  Rng rng(1, "regression");
  const Matrix X = random_matrix(3, 20, rng), at = random_matrix(3, 5, rng);
  const Vector y = 100.0 + 7.0 * random_matrix(20, 1, rng).array();
  const auto kernel = std::make_shared<StationaryKernel>(Shape::rbf, Vector{{1.0, 2.0, 3.0}}, 0.9);
  const Standardize output = Standardize::of(y);
  const Regression model({kernel, 0.3, 0.01, output}, X, y);
  const Matrix inverse = (kernel->cross(X, X) + 0.01 * Matrix::Identity(20, 20)).inverse();
  const Matrix k = kernel->cross(X, at);
  const Vector mean =
      0.3 + (k.transpose() * inverse * (output.apply(y).array() - 0.3).matrix()).array();
  const Matrix covariance = kernel->cross(at, at) - k.transpose() * inverse * k;
  const auto p = model.posterior(at, true);
  const double s = output.scale;
  EXPECT_LT((p->mean() - (output.offset + s * mean.array()).matrix()).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((p->covariance() - s * s * covariance).cwiseAbs().maxCoeff(), 1e-9 * s * s);
  EXPECT_LT((p->variance() - p->covariance().diagonal()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(model.posterior(at, false)->variance(), p->variance());
}

TEST(Regression, KnownVariancesCountWhetherGivenAtOnceOrAppended) {
  Rng rng(3, "regression");
  const Matrix X = random_matrix(2, 9, rng), at = random_matrix(2, 3, rng);
  const Vector y = random_matrix(9, 1, rng), known = random_matrix(9, 1, rng).cwiseAbs();
  const auto kernel = std::make_shared<StationaryKernel>(Shape::rbf, Vector{{1.0, 2.0}}, 0.9);
  const Regression once({kernel, 0.0, 0.01, Standardize{}}, X, y, known);
  Regression twice({kernel, 0.0, 0.01, Standardize{}}, X.leftCols(5), y.head(5), known.head(5));
  twice.append(X.rightCols(4), y.tail(4), known.tail(4));
  Matrix K = kernel->cross(X, X) + 0.01 * Matrix::Identity(9, 9);
  K.diagonal() += known;
  const Vector mean = kernel->cross(X, at).transpose() * K.inverse() * y;
  EXPECT_LT((once.posterior(at, false)->mean() - mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((twice.posterior(at, false)->mean() - mean).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(GaussianProcess, KnownVariancesTakeTheirShareOfTheNoise) {
  Rng rng(5, "known");
  const Eigen::Index n = 60;
  const Matrix X = random_matrix(1, n, rng).cwiseAbs();
  Vector y(n);
  for (Eigen::Index i = 0; i < n; ++i) y[i] = std::sin(3.0 * X(0, i)) + 0.3 * rng.normal();
  GaussianProcess plain(GpOptions::standard(1)), told(GpOptions::standard(1));
  plain.fit(X, y, Rng(1));
  told.set_known_variances(Vector::Constant(n, 0.09));
  told.fit(X, y, Rng(1));
  EXPECT_NEAR(std::sqrt(plain.noise_variance()), 0.3, 0.08);
  EXPECT_LT(told.noise_variance(), 0.1 * plain.noise_variance());
}

TEST(Regression, MeansAloneAreThoseOfThePosterior) {
  const Regression model = small_regression();
  const Matrix at = SmallData().at;
  const auto p = model.posterior(at, false);
  EXPECT_LT((model.mean(at) - p->mean()).cwiseAbs().maxCoeff(), 1e-14);
  const Vector weights = Vector::LinSpaced(at.cols(), 0.5, -2.0);
  const Matrix slope = p->pullback(weights, Vector::Zero(at.cols()));
  EXPECT_LT((model.mean_slope(at, weights) - slope).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Regression, AppendingEqualsConditioningOnAll) {
  Rng rng(2, "regression");
  const Matrix X = random_matrix(2, 30, rng), at = random_matrix(2, 4, rng);
  const Vector y = random_matrix(30, 1, rng);
  const Regression::Parameters parameters{
      std::make_shared<StationaryKernel>(Shape::matern52, Vector{{2.0, 3.0}}, 1.0), 0.0, 1e-3,
      Standardize::of(y)};
  const Regression whole(parameters, X, y);
  Regression grown(parameters, X.leftCols(5), y.head(5));
  for (Eigen::Index n = 5; n < 30;) {
    const Eigen::Index k = std::min<Eigen::Index>(1 + n % 4, 30 - n);
    grown.append(X.middleCols(n, k), y.segment(n, k));
    n += k;
  }
  EXPECT_LT((whole.posterior(at, true)->mean() - grown.posterior(at, true)->mean()).norm(), 1e-10);
  EXPECT_LT(
      (whole.posterior(at, true)->covariance() - grown.posterior(at, true)->covariance()).norm(),
      1e-10);
  EXPECT_NEAR(whole.log_likelihood(), grown.log_likelihood(), 1e-9);
}

TEST(Regression, KeepingTheInverseOfTheFactorChangesNoPrediction) {
  Rng rng(7, "regression");
  const Matrix X = random_matrix(3, 40, rng), at = random_matrix(3, 6, rng);
  const Vector y = random_matrix(40, 1, rng), weights = random_matrix(6, 1, rng);
  for (const double noise : {1e-2, 1e-8}) {
    Regression::Parameters parameters{
        std::make_shared<StationaryKernel>(Shape::matern52, Vector{{0.5, 0.3, 0.4}}, 1.0), 0.1,
        noise, Standardize::of(y)};
    const Regression plain(parameters, X, y);
    parameters.keep_inverse = true;
    const Regression whole(parameters, X, y);
    const Regression given(parameters, X, y, plain.factor(), plain.alpha());
    Regression grown(parameters, X.leftCols(3), y.head(3));
    for (Eigen::Index n = 3; n < 40;) {
      const Eigen::Index k = std::min<Eigen::Index>(1 + n % 3, 40 - n);
      grown.append(X.middleCols(n, k), y.segment(n, k));
      n += k;
    }
    const auto expected = plain.posterior(at, true);
    for (const Regression* model :
         std::initializer_list<const Regression*>{&whole, &given, &grown}) {
      const auto p = model->posterior(at, true);
      EXPECT_LT((p->mean() - expected->mean()).cwiseAbs().maxCoeff(), 1e-8);
      EXPECT_LT((p->covariance() - expected->covariance()).cwiseAbs().maxCoeff(), 1e-10);
      const auto slope = [&](const Posterior& posterior) {
        return posterior.pullback(weights, weights);
      };
      EXPECT_LT((slope(*p) - slope(*expected)).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(WatchedPoints, FollowARegressionThatLearns) {
  Rng rng(4, "regression");
  const Matrix X = random_matrix(2, 30, rng), at = random_matrix(2, 7, rng);
  const Vector y = 5.0 + 2.0 * random_matrix(30, 1, rng).array();
  Regression model({std::make_shared<StationaryKernel>(Shape::matern52, Vector{{2.0, 3.0}}, 1.3),
                    0.2, 1e-3, Standardize::of(y)},
                   X.leftCols(0), y.head(0));
  WatchedPoints watched(model, at);
  for (const Eigen::Index n : {0, 20, 20, 21, 25, 30}) {
    model.append(X.middleCols(model.size(), n - model.size()),
                 y.segment(model.size(), n - model.size()));
    watched.follow(model);
    const auto p = model.posterior(at, false);
    EXPECT_LT((watched.mean() - p->mean()).cwiseAbs().maxCoeff(), 1e-10) << n;
    EXPECT_LT((watched.variance() - p->variance()).cwiseAbs().maxCoeff(), 1e-10) << n;
  }
  // At a result without noise nothing is left, but never less.
  Regression sure(
      {std::make_shared<StationaryKernel>(Shape::rbf, Vector{{2.0, 3.0}}, 1.0), 0.0, 0.0, {}}, at,
      Vector::Ones(7));
  EXPECT_GT(WatchedPoints(sure, at).variance().minCoeff(), 0.0);
}

TEST(Regression, PullbacksMatchDifferences) {
  Rng rng(3, "regression");
  for (const Eigen::Index D : {1, 4}) {
    for (const Eigen::Index q : {1, 3}) {
      const Matrix X = random_matrix(D, 9, rng), at = random_matrix(D, q, rng);
      const Vector y = 3.0 + 2.0 * random_matrix(9, 1, rng).array();
      Vector inverse(D);
      for (double& v : inverse) v = rng.uniform(1.0, 4.0);
      const Regression model({std::make_shared<StationaryKernel>(Shape::matern52, inverse, 1.2),
                              0.1, 0.02, Standardize::of(y)},
                             X, y);
      const Vector a = random_matrix(q, 1, rng), b = random_matrix(q, 1, rng);
      Matrix C = random_matrix(q, q, rng);
      C = (C + C.transpose()).eval();
      testing::expect_matrix_gradient(
          [&](const Matrix& x) {
            const auto p = model.posterior(x, false);
            return p->mean().dot(a) + p->variance().dot(b);
          },
          at, model.posterior(at, false)->pullback(a, b));
      testing::expect_matrix_gradient(
          [&](const Matrix& x) {
            const auto p = model.posterior(x, true);
            return p->mean().dot(a) + p->covariance().cwiseProduct(C).sum();
          },
          at, model.posterior(at, true)->pullback_joint(a, C));
      const BaseSamples base = BaseSamples::make(q, 6, rng);
      const Matrix weights = random_matrix(q, 6, rng);
      testing::expect_matrix_gradient(
          [&](const Matrix& x) {
            return model.posterior(x, true)->draws(base).cwiseProduct(weights).sum();
          },
          at, model.posterior(at, true)->pullback_draws(base, weights));
    }
  }
}

// Draws against mean and covariance, within 5 standard errors at a fixed seed.
TEST(Regression, DrawsHaveTheirMeanAndCovariance) {
  const Regression model = small_regression();
  const auto p = model.posterior(SmallData().at, true);
  Rng rng(4, "draws");
  constexpr Eigen::Index S = 20000;
  const double root = std::sqrt(static_cast<double>(S));
  for (const bool direct : {true, false}) {
    const Matrix Y = direct ? model.sample(SmallData().at, S, false, rng)
                            : p->draws(BaseSamples::make(2, S, rng));
    const Vector mean = Y.rowwise().mean();
    const Matrix centered = Y.colwise() - mean;
    const Matrix covariance = centered * centered.transpose() / (S - 1);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(mean[i], p->mean()[i], 5 * std::sqrt(p->variance()[i]) / root);
      for (int j = 0; j < 2; ++j) {
        const double spread = std::sqrt(p->variance()[i] * p->variance()[j] +
                                        p->covariance()(i, j) * p->covariance()(i, j));
        EXPECT_NEAR(covariance(i, j), p->covariance()(i, j), 5 * spread / root);
      }
    }
  }
}

double wave(ConstVectorRef x) { return std::sin(6.0 * x[0]) + x.tail(x.size() - 1).sum(); }

struct Data {
  Matrix X;
  Vector y;
};

Data wave_data(Eigen::Index D, Eigen::Index n, std::uint64_t seed) {
  Rng rng(seed, "data");
  Data data{random_matrix(D, n, rng), Vector(n)};
  for (Eigen::Index i = 0; i < n; ++i) data.y[i] = wave(data.X.col(i));
  return data;
}

TEST(GaussianProcess, FitReachesAStationaryPointAndPredicts) {
  const Data train = wave_data(3, 60, 1), fresh = wave_data(3, 50, 2);
  for (const GpOptions& options : {GpOptions::standard(3), GpOptions::gamma_priors(3)}) {
    GaussianProcess gp(options);
    const FitReport report = gp.fit(train.X, train.y, Rng(1, "fit"));
    EXPECT_EQ(report.status, FitReport::Status::converged) << report.message;
    const auto p = gp.marginals(fresh.X);
    EXPECT_LT((p->mean() - fresh.y).norm() / std::sqrt(50.0), 0.1);
    EXPECT_LT(gp.parameters().lengthscales[0], gp.parameters().lengthscales[1]);
  }
}

TEST(GaussianProcess, WarmStartNeedsFewerStepsAndFindsTheSame) {
  const Data data = wave_data(4, 80, 3);
  GaussianProcess cold(GpOptions::standard(4)), warm(GpOptions::standard(4));
  warm.fit(data.X.leftCols(70), data.y.head(70), Rng(1, "fit"));
  const FitReport again = warm.fit(data.X, data.y, Rng(2, "fit"));
  const FitReport first = cold.fit(data.X, data.y, Rng(2, "fit"));
  EXPECT_NEAR(again.objective, first.objective, 0.05);
  EXPECT_LT(again.iterations, first.iterations);
}

TEST(GaussianProcess, StateMakesTheNextFitIdentical) {
  const Data data = wave_data(2, 40, 4);
  GaussianProcess one(GpOptions::standard(2)), two(GpOptions::standard(2));
  one.fit(data.X.leftCols(30), data.y.head(30), Rng(1, "fit"));
  two.set_state(one.state());
  one.fit(data.X, data.y, Rng(2, "fit"));
  two.fit(data.X, data.y, Rng(2, "fit"));
  EXPECT_EQ(one.state(), two.state());
  EXPECT_EQ(one.marginals(data.X)->mean(), two.marginals(data.X)->mean());
}

TEST(GaussianProcess, UpdateKeepsHyperparametersAndSeesTheNewData) {
  const Data data = wave_data(2, 40, 5);
  GaussianProcess gp(GpOptions::standard(2));
  gp.fit(data.X.leftCols(30), data.y.head(30), Rng(1, "fit"));
  const Vector before = gp.state();
  EXPECT_TRUE(gp.has_fantasies());
  const auto fantasy = gp.conditioned_on(data.X.rightCols(10), data.y.tail(10));
  gp.update(data.X, data.y, Rng(2, "fit"));
  EXPECT_EQ(before, gp.state());
  EXPECT_EQ(gp.regression().size(), 40);
  EXPECT_EQ(gp.marginals(data.X)->mean(), fantasy->marginals(data.X)->mean());
}

// Random Fourier features approximate the prior: the tolerance is 5 standard errors of the draws
// plus 0.1 of the prior variance for the approximation.
TEST(GaussianProcess, ManyPointSamplesFollowThePosterior) {
  const Data data = wave_data(2, 25, 6);
  GaussianProcess gp(GpOptions::standard(2));
  gp.fit(data.X, data.y, Rng(1, "fit"));
  Rng rng(7, "many");
  const Matrix at = random_matrix(2, 1600, rng);
  const Matrix Y = gp.sample_functions(at, 300, false, Rng(1, "sample"));
  const auto p = gp.marginals(at);
  const Vector mean = Y.rowwise().mean();
  const double prior =
      gp.parameters().variance * std::pow(gp.regression().parameters().output.scale, 2.0);
  for (Eigen::Index i = 0; i < at.cols(); ++i) {
    const double variance = (Y.row(i).array() - mean[i]).square().sum() / 299.0;
    const double sigma = std::sqrt(p->variance()[i]);
    EXPECT_NEAR(mean[i], p->mean()[i], 5 * sigma / std::sqrt(300.0) + 0.02 * std::sqrt(prior));
    EXPECT_NEAR(variance, p->variance()[i],
                5 * p->variance()[i] * std::sqrt(2.0 / 300.0) + 0.02 * prior);
  }
}

TEST(GaussianProcess, TiedInputsAreAHammingKernel) {
  GpOptions options = GpOptions::standard(5);
  options.tie(1, 3);  // real, category of three, real
  EXPECT_EQ(options.groups(), 3);
  const GaussianProcess gp(options);
  const GpParameters p{Vector{{1.0, 0.5, 2.0}}, 1.0, 0.1, 0.0};
  const Matrix A{{0.5}, {1}, {0}, {0}, {0.5}};
  const Matrix B{{0.5, 0.5, 0.5}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0.5}};
  const Matrix K = gp.kernel_of(p).cross(A, B);
  const double t = std::sqrt(5.0) * 2.0;  // differing choices are one length unit apart, l = 1/2
  EXPECT_DOUBLE_EQ(K(0, 0), 1.0);
  EXPECT_NEAR(K(0, 1), (1 + t + t * t / 3) * std::exp(-t), 1e-14);
  EXPECT_DOUBLE_EQ(K(0, 1), K(0, 2));
}

TEST(GaussianProcess, LargeDataStartsFromASubsetAndAgrees) {
  const Data data = wave_data(2, 120, 8);
  GpOptions subset = GpOptions::standard(2);
  subset.warmup_points = 40;
  GpOptions plain = subset;
  plain.warmup_points = 0;
  GaussianProcess a(subset), b(plain);
  EXPECT_NEAR(a.fit(data.X, data.y, Rng(1, "fit")).objective,
              b.fit(data.X, data.y, Rng(1, "fit")).objective, 0.05);
}

TEST(GaussianProcess, SameBitsWhateverTheNumberOfThreads) {
  const Data data = wave_data(3, 420, 10);
  Vector first;
  for (const int threads : {1, 2, 3}) {
    GpOptions options = GpOptions::standard(3);
    options.threads = threads;
    GaussianProcess gp(options);
    gp.fit(data.X, data.y, Rng(1, "fit"));
    if (threads == 1) first = gp.state();
    EXPECT_EQ(gp.state(), first) << threads;
  }
}

// Warm from little data, fits explain severe noise by short length-scales and stay there: a second
// search finds the noise. Where there is none nothing changes.
TEST(GaussianProcess, FindsSevereNoiseThatEarlierFitsMissed) {
  constexpr Eigen::Index D = 4;
  Rng rng(3, "severe-noise");
  const Matrix X = random_matrix(D, 150, rng);
  const Vector f = -(X.array() - 0.4).square().colwise().sum().transpose();
  const double deviation = std::sqrt((f.array() - f.mean()).square().mean());
  Vector noise(150);
  for (double& e : noise) e = rng.normal();
  for (const double level : {1.0, 0.0}) {
    const Vector y = f + level * deviation * noise;
    GpOptions options = GpOptions::standard(D);
    options.max_iterations = 4;
    GaussianProcess gp(options);
    for (const Eigen::Index n : {12, 20, 40, 80, 150}) {
      gp.fit(X.leftCols(n), y.head(n), Rng(1, "fit", static_cast<std::uint64_t>(n)));
    }
    const double found = gp.noise_variance() / std::pow(deviation, 2.0);
    if (level > 0.0) {
      EXPECT_GT(found, 0.5);
      EXPECT_LT(found, 2.0);
    } else {
      EXPECT_LT(found, 1e-3);
    }
  }
}

TEST(GaussianProcess, FixedNoiseIsKept) {
  const Data data = wave_data(2, 30, 9);
  GpOptions options = GpOptions::standard(2);
  options.fixed_noise = 0.04;
  GaussianProcess gp(options);
  gp.fit(data.X, data.y, Rng(1, "fit"));
  EXPECT_NEAR(gp.noise_variance(), 0.04, 1e-12);
}

}  // namespace
TEST(GaussianProcess, LengthscalePriorsHaveOneModeAndDifferInSpread) {
  for (const Eigen::Index d : {1, 6, 20}) {
    const double mode = std::sqrt(static_cast<double>(d)) * std::exp(std::sqrt(2.0) - 3.0);
    const PositivePrior narrow = GpOptions::standard(d).lengthscale_prior;
    const PositivePrior wide = GpOptions::botorch(d).lengthscale_prior;
    EXPECT_NEAR(narrow.mode(), mode, 1e-12);
    EXPECT_NEAR(wide.mode(), mode, 1e-12);
    EXPECT_DOUBLE_EQ(narrow.b, 0.7);
    EXPECT_NEAR(wide.a, std::sqrt(2.0) + 0.5 * std::log(static_cast<double>(d)), 1e-12);
  }
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What the three Bayesian networks owe alike: derivatives that are right, moments that match their
// draws, the same result whatever the threads, and sane answers to awkward data.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "models/bnn/normals.hpp"
#include "models/bnn/squared_error.hpp"
#include "models/hmc/hmc_bnn.hpp"
#include "models/laplace/laplace_bnn.hpp"
#include "models/sghmc/sghmc_bnn.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

struct Case {
  std::string name;
  std::function<std::unique_ptr<Surrogate>(int threads)> make;
};

// Small enough to meet no kink of a relu, large enough for rounding.
constexpr GradientTolerance close_differences{.relative = 1e-5, .relative_step = 1e-6};

HmcBnnOptions small_hmc(int threads, nn::Activation activation = nn::Activation::tanh) {
  HmcBnnOptions options;
  options.network = {.widths = {12, 8}, .activation = activation};
  options.chains = 2;
  options.sampler = {.samples = 40, .burn_in = 40, .step_size = 0.01, .path_length = 0.1};
  options.pretrain_steps = 200;
  options.members = 30;
  options.threads = threads;
  return options;
}

const Case cases[] = {
    {"hmc", [](int threads) { return std::make_unique<HmcBnn>(small_hmc(threads)); }},
    {"hmc_relu_double",
     [](int threads) {
       HmcBnnOptions options = small_hmc(threads, nn::Activation::relu);
       options.single_precision = false;
       options.chains = 1;
       return std::make_unique<HmcBnn>(options);
     }},
    {"sghmc",
     [](int threads) {
       return std::make_unique<SghmcBnn>(SghmcBnnOptions{.network = {.widths = {12, 8}},
                                                         .steps = 600,
                                                         .burn_in = 400,
                                                         .chains = 2,
                                                         .threads = threads});
     }},
    {"laplace_kfac",
     [](int threads) {
       return std::make_unique<LaplaceBnn>(LaplaceBnnOptions{.network = {.widths = {12, 8}},
                                                             .noise_variance = 0.01,
                                                             .steps = 200,
                                                             .threads = threads});
     }},
    {"laplace_function_space",
     [](int threads) {
       return std::make_unique<LaplaceBnn>(
           LaplaceBnnOptions{.network = {.widths = {12, 8}},
                             .noise_variance = 0.01,
                             .curvature = CurvatureKind::function_space,
                             .steps = 200,
                             .threads = threads});
     }},
};

struct Data {
  Matrix X;
  Vector y;
};

Data smooth_data(Eigen::Index n, double scale = 5.0, double offset = -3.0) {
  Rng rng(11, "bnn-data");
  Data data{Matrix(2, n), Vector(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    data.X.col(i) << rng.uniform(), rng.uniform();
    data.y[i] = offset + scale * std::sin(3.0 * data.X(0, i)) * data.X(1, i);
  }
  return data;
}

class EveryBnn : public ::testing::TestWithParam<Case> {};

TEST_P(EveryBnn, PosteriorGradientsMatchDifferences) {
  const auto model = GetParam().make(1);
  const Data data = smooth_data(20);
  model->fit(data.X, data.y, Rng(1, "fit"));
  Rng rng(2, "points");
  Matrix X(2, 3);
  for (double& x : X.reshaped()) x = rng.uniform();
  const BaseSamples base = BaseSamples::make(3, 9, rng);
  Matrix c(3, 3), d(3, 9);
  for (double& v : c.reshaped()) v = rng.normal();
  for (double& v : d.reshaped()) v = rng.normal();
  c = (c + c.transpose()).eval();
  const Vector a = c.col(0), b = c.col(1);

  const auto posterior = model->posterior(X);
  testing::expect_matrix_gradient(
      [&](const Matrix& at) {
        const auto p = model->marginals(at);
        return a.dot(p->mean()) + b.dot(p->variance());
      },
      X, model->marginals(X)->pullback(a, b), close_differences);
  testing::expect_matrix_gradient(
      [&](const Matrix& at) {
        const auto p = model->posterior(at);
        return a.dot(p->mean()) + c.cwiseProduct(p->covariance()).sum();
      },
      X, posterior->pullback_joint(a, c), close_differences);
  testing::expect_matrix_gradient(
      [&](const Matrix& at) { return model->posterior(at)->draws(base).cwiseProduct(d).sum(); }, X,
      posterior->pullback_draws(base, d), close_differences);
}

TEST_P(EveryBnn, LearnsAndKnowsWhatItDoesNotKnow) {
  const auto model = GetParam().make(0);
  const Data data = smooth_data(40);
  model->fit(data.X, data.y, Rng(3, "fit"));
  const auto posterior = model->marginals(data.X);
  const double spread = (data.y.array() - data.y.mean()).matrix().norm();
  EXPECT_LT((posterior->mean() - data.y).norm(), 0.5 * spread);
  EXPECT_GT(posterior->variance().minCoeff(), 0.0);
  EXPECT_GE(model->noise_variance(), 0.0);
}

TEST_P(EveryBnn, FunctionDrawsHaveTheMomentsOfThePosterior) {
  const auto model = GetParam().make(0);
  const Data data = smooth_data(15);
  model->fit(data.X, data.y, Rng(4, "fit"));
  const Matrix X = smooth_data(4).X;
  const auto posterior = model->posterior(X);
  constexpr Eigen::Index S = 3000;
  const Matrix draws = model->sample_functions(X, S, false, Rng(5, "draws"));
  ASSERT_EQ(draws.rows(), 4);
  ASSERT_EQ(draws.cols(), S);
  for (Eigen::Index i = 0; i < 4; ++i) {
    const double deviation = std::sqrt(posterior->variance()[i]);
    EXPECT_NEAR(draws.row(i).mean(), posterior->mean()[i], 0.1 * deviation);
    const double variance = (draws.row(i).array() - draws.row(i).mean()).square().mean();
    EXPECT_NEAR(variance / posterior->variance()[i], 1.0, 0.15);
  }
  const Matrix noisy = model->sample_functions(X, S, true, Rng(5, "draws"));
  EXPECT_GT((noisy - draws).norm(), 0.0);
}

TEST_P(EveryBnn, DoesNotDependOnTheNumberOfThreads) {
  const Data data = smooth_data(150);  // more than one slice of the data
  const Matrix X = smooth_data(5).X;
  Matrix results[2];
  for (const int threads : {1, 3}) {
    const auto model = GetParam().make(threads);
    model->fit(data.X, data.y, Rng(6, "fit"));
    Matrix& out = results[threads == 3];
    out.resize(5, 12);
    const auto posterior = model->posterior(X);
    const Matrix slopes = posterior->pullback(Vector::Ones(5), Vector::Ones(5));
    out << posterior->mean(), posterior->variance(), slopes.transpose(),
        model->sample_functions(X, 8, false, Rng(7, "draws"));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_P(EveryBnn, AwkwardDataGivesFiniteAnswers) {
  const Data plain = smooth_data(10);
  std::vector<Data> awkward;
  awkward.push_back({plain.X.leftCols(1), plain.y.head(1)});      // one observation
  awkward.push_back({plain.X, Vector::Constant(10, 7.0)});        // constant y
  awkward.push_back({plain.X.col(0).replicate(1, 10), plain.y});  // one place, many values
  awkward.push_back({plain.X, 1e12 * plain.y});                   // enormous
  awkward.push_back({plain.X, 1e-12 * plain.y});                  // tiny
  Vector outlier = plain.y;
  outlier[3] = 1e9;
  awkward.push_back({plain.X, outlier});
  for (const Data& data : awkward) {
    const auto model = GetParam().make(0);
    model->fit(data.X, data.y, Rng(8, "fit"));
    const auto posterior = model->posterior(plain.X.leftCols(3));
    EXPECT_TRUE(posterior->mean().allFinite());
    EXPECT_TRUE(posterior->covariance().allFinite());
    EXPECT_GT(posterior->variance().minCoeff(), 0.0);
    EXPECT_TRUE(posterior->pullback(Vector::Ones(3), Vector::Ones(3)).allFinite());
    EXPECT_TRUE(model->sample_functions(plain.X, 3, true, Rng(9, "draws")).allFinite());
  }
}

TEST_P(EveryBnn, StateMakesTheNextFitTheSame) {
  const Data first = smooth_data(12), second = smooth_data(18);
  const auto one = GetParam().make(0), other = GetParam().make(0);
  one->fit(first.X, first.y, Rng(1, "fit"));
  other->set_state(one->state());
  one->fit(second.X, second.y, Rng(2, "fit"));
  other->fit(second.X, second.y, Rng(2, "fit"));
  EXPECT_EQ(one->marginals(first.X)->mean(), other->marginals(first.X)->mean());
}

INSTANTIATE_TEST_SUITE_P(Bnn, EveryBnn, ::testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.name; });

TEST(SquaredError, GradientMatchesDifferencesAcrossSlices) {
  const Data data = smooth_data(300);
  const nn::MlpShape shape({2, 5, 4, 1});
  SquaredError<double> error(shape, data.X, data.y, 2);
  Rng rng(1, "theta");
  const Vector theta = random_weights(shape, rng);
  Vector gradient(theta.size()), unused(theta.size());
  error(theta, gradient);
  testing::expect_gradient([&](ConstVectorRef at) { return error(at, unused); }, theta, gradient);
  SquaredError<float> rounded(shape, data.X, data.y, 1);
  const double value = error(theta, gradient);
  EXPECT_NEAR(rounded(theta, unused), value, 1e-5 * value);
  EXPECT_LT((unused - gradient).norm(), 1e-5 * gradient.norm());
}

// Moments of 400,000 numbers within 4 standard errors, and a Kolmogorov-Smirnov distance below its
// 0.1% point, 1.95/sqrt(n).
TEST(FillNormals, AreStandardNormal) {
  Rng rng(1, "normals");
  Vector z(400001);
  fill_normals(rng, z);
  const auto n = static_cast<double>(z.size());
  EXPECT_NEAR(z.mean(), 0.0, 4.0 / std::sqrt(n));
  EXPECT_NEAR(z.array().square().mean(), 1.0, 4.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(z.array().cube().mean(), 0.0, 4.0 * std::sqrt(15.0 / n));
  EXPECT_NEAR(z.array().pow(4).mean(), 3.0, 4.0 * std::sqrt(96.0 / n));
  EXPECT_NEAR(z.head(z.size() - 1).dot(z.tail(z.size() - 1)) / n, 0.0, 4.0 / std::sqrt(n));
  std::sort(z.begin(), z.end());
  double distance = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double below = 0.5 * std::erfc(-z[i] / std::sqrt(2.0));
    distance = std::max(distance, std::abs(below - (static_cast<double>(i) + 0.5) / n));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));
  Rng again(1, "normals");
  Vector short_one(3);
  fill_normals(again, short_one);
  EXPECT_TRUE(short_one.allFinite());
}

TEST(HmcBnn, ReportsItsDiagnostics) {
  HmcBnn model(small_hmc(0));
  const Data data = smooth_data(20);
  const FitReport report = model.fit(data.X, data.y, Rng(1, "fit"));
  ASSERT_EQ(report.values.size(), 6U);
  EXPECT_EQ(report.values[0].name, "acceptance");
  EXPECT_GT(report.values[0].value, 0.3);
  EXPECT_EQ(report.values[2].name, "r-hat");
  EXPECT_GE(report.values[2].value, 1.0);
  EXPECT_EQ(model.ensemble().members.cols(), 30);
}

TEST(HmcBnn, AChainThatCannotMoveIsReported) {
  HmcBnnOptions options = small_hmc(0);
  options.sampler = {
      .samples = 10, .burn_in = 0, .step_size = 1.0, .path_length = 3.0, .adapt = false};
  options.noise_variance = 1e-4;
  HmcBnn model(options);
  const Data data = smooth_data(20);
  const FitReport report = model.fit(data.X, data.y, Rng(1, "fit"));
  EXPECT_EQ(report.status, FitReport::Status::fallback);
  EXPECT_EQ(model.diagnostics().stuck_chains, 2);
  EXPECT_TRUE(model.marginals(data.X)->mean().allFinite());
}

TEST(LaplaceBnn, TrainingOnRawValuesFallsBackWhenItFails) {
  LaplaceBnn model({.network = {.widths = {12, 8}}, .standardize = false, .steps = 100});
  const Data data = smooth_data(20, 1e6, 5e7);
  const FitReport report = model.fit(data.X, data.y, Rng(1, "fit"));
  EXPECT_EQ(report.status, FitReport::Status::fallback);
  const auto posterior = model.marginals(data.X);
  EXPECT_LT((posterior->mean() - data.y).norm(),
            0.9 * (data.y.array() - data.y.mean()).matrix().norm());
}

}  // namespace
}  // namespace vbo

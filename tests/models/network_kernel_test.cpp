// SPDX-License-Identifier: MIT
// Kernels made of networks: the infinitely wide one and the deep kernel.
#include <gtest/gtest.h>

#include "models/dkl/dkl.hpp"
#include "models/ibnn/infinite_bnn.hpp"
#include "models/models_support.hpp"
#include "nn/init.hpp"
#include "numerics/special.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

using testing::random_matrix;

TEST(NngpKernel, ReferenceValues) {
  const Matrix x{{0.2}, {0.5}}, z{{0.9}, {0.1}};
  const NngpKernel relu({NetworkUnit::relu, 3, 10.0, 1.3}), erf({NetworkUnit::erf, 3, 10.0, 1.3});
  EXPECT_NEAR(relu.cross(x, z)(0, 0), 420.1512604422358, 1e-9);
  EXPECT_NEAR(relu.diagonal(x)[0], 384.05, 1e-10);
  EXPECT_NEAR(relu.diagonal(z)[0], 715.3, 1e-10);
  const Matrix one = Matrix::Ones(1, 1);
  const Matrix by_x = relu.pull_cross(z, x, one);
  EXPECT_NEAR(by_x(0, 0), 327.6027058674939, 1e-9);
  EXPECT_NEAR(by_x(1, 0), 250.6120295181863, 1e-9);
  EXPECT_NEAR(erf.cross(x, z)(0, 0), 4.9963782304385305, 1e-12);
  EXPECT_NEAR(erf.diagonal(x)[0], 9.232855158771137, 1e-12);
  EXPECT_NEAR(erf.diagonal(z)[0], 9.245651952065547, 1e-12);
  const Matrix by_x_erf = erf.pull_cross(z, x, one);
  EXPECT_NEAR(by_x_erf(0, 0), 4.418179803150677, 1e-11);
  EXPECT_NEAR(by_x_erf(1, 0), -2.447579757368567, 1e-11);
}

TEST(NngpKernel, AgreesWithTheFormulaAtEveryAngle) {
  const NngpKernel relu({NetworkUnit::relu, 1, 2.0, 0.0}), erf({NetworkUnit::erf, 1, 2.0, 0.0});
  const Matrix x{{1.0}, {0.0}};
  for (int i = 0; i <= 1000; ++i) {
    const double t = kPi * (1e-3 + (1.0 - 2e-3) * i / 1000.0);
    const Matrix z{{std::cos(t)}, {std::sin(t)}};  // K0(x,z) = cos t, K0(x,x) = K0(z,z) = 1
    EXPECT_NEAR(relu.cross(x, z)(0, 0), (std::sin(t) + (kPi - t) * std::cos(t)) / kPi, 1e-14) << t;
    EXPECT_NEAR(erf.cross(x, z)(0, 0), 4.0 / kPi * std::asin(2.0 / 3.0 * std::cos(t)), 1e-14) << t;
  }
}

TEST(NngpKernel, GradientsMatchDifferences) {
  Rng rng(1, "nngp");
  for (const NetworkUnit unit : {NetworkUnit::relu, NetworkUnit::erf}) {
    for (Eigen::Index D = 1; D <= 10; ++D) {
      const NngpKernel kernel({unit, 3, 2.0, 0.5});
      const Matrix A = random_matrix(D, 5, rng), B = random_matrix(D, 3, rng);
      const Matrix weights = random_matrix(5, 3, rng);
      testing::expect_matrix_gradient(
          [&](const Matrix& at) { return kernel.cross(A, at).cwiseProduct(weights).sum(); }, B,
          kernel.pull_cross(A, B, weights), {.relative_step = 1e-4});
      const Vector w = random_matrix(3, 1, rng);
      testing::expect_matrix_gradient([&](const Matrix& at) { return kernel.diagonal(at).dot(w); },
                                      B, kernel.pull_diagonal(B, w));
    }
  }
}

struct Learned {
  Matrix X;
  Vector y;
};

Learned wave_data(Eigen::Index n, std::uint64_t seed) {
  Rng rng(seed, "data");
  Learned data{random_matrix(2, n, rng), Vector(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    data.y[i] = 5.0 + 2.0 * std::sin(4.0 * data.X(0, i)) + data.X(1, i);
  }
  return data;
}

std::vector<std::unique_ptr<Surrogate>> models() {
  std::vector<std::unique_ptr<Surrogate>> all;
  InfiniteBnnOptions erf;
  erf.kernel.unit = NetworkUnit::erf;
  DklOptions small{.hidden = {12, 8}, .pretrain_steps = 200, .train_steps = 200};
  DklOptions raw = small;
  raw.faithful_raw_y = true;
  all.push_back(std::make_unique<InfiniteBnn>(InfiniteBnnOptions{}));
  all.push_back(std::make_unique<InfiniteBnn>(erf));
  all.push_back(std::make_unique<DeepKernel>(small));
  all.push_back(std::make_unique<DeepKernel>(raw));
  return all;
}

TEST(NetworkKernels, PredictFreshData) {
  const Learned train = wave_data(60, 1), fresh = wave_data(40, 2);
  for (const auto& model : models()) {
    model->fit(train.X, train.y, Rng(1, "fit"));
    const auto p = model->marginals(fresh.X);
    EXPECT_LT((p->mean() - fresh.y).norm() / std::sqrt(40.0), 0.6);
    EXPECT_GT(p->variance().minCoeff(), 0.0);
    EXPECT_GE(model->noise_variance(), 0.0);
  }
}

TEST(NetworkKernels, PullbacksMatchDifferences) {
  const Learned train = wave_data(15, 3);
  Rng rng(4, "pull");
  for (const auto& model : models()) {
    model->fit(train.X, train.y, Rng(1, "fit"));
    const Matrix at = random_matrix(2, 3, rng);
    const Vector a = random_matrix(3, 1, rng), b = random_matrix(3, 1, rng);
    testing::expect_matrix_gradient(
        [&](const Matrix& x) {
          const auto p = model->marginals(x);
          return p->mean().dot(a) + p->variance().dot(b);
        },
        at, model->marginals(at)->pullback(a, b), {.relative = 1e-5, .relative_step = 1e-4});
    const BaseSamples base = BaseSamples::make(3, 5, rng);
    const Matrix weights = random_matrix(3, 5, rng);
    testing::expect_matrix_gradient(
        [&](const Matrix& x) {
          return model->posterior(x)->draws(base).cwiseProduct(weights).sum();
        },
        at, model->posterior(at)->pullback_draws(base, weights),
        {.relative = 1e-5, .relative_step = 1e-4});
  }
}

TEST(NetworkKernels, FantasiesEqualUpdates) {
  const Learned data = wave_data(20, 5);
  for (const auto& model : models()) {
    model->fit(data.X.leftCols(15), data.y.head(15), Rng(1, "fit"));
    const auto fantasy = model->conditioned_on(data.X.rightCols(5), data.y.tail(5));
    model->update(data.X, data.y, Rng(2, "fit"));
    EXPECT_EQ(model->marginals(data.X)->mean(), fantasy->marginals(data.X)->mean());
  }
}

TEST(NetworkKernels, DegenerateDataStaysFinite) {
  const Matrix X = Matrix::Constant(2, 6, 0.5);
  for (const Vector& y : {Vector(Vector::Constant(6, 2.0)), Vector{{1, 2, 1, 2, 1e6, 0}},
                          Vector(Vector::Constant(6, 1e200))}) {
    for (const auto& model : models()) {
      for (const Eigen::Index n : {1, 6}) {
        model->fit(X.leftCols(n), y.head(n), Rng(1, "fit"));
        const auto p = model->marginals(X);
        EXPECT_TRUE(p->mean().allFinite());
        EXPECT_FALSE(p->variance().hasNaN());
      }
    }
  }
}

// The noise the eigendecomposition finds is the best one by the direct likelihood too.
TEST(InfiniteBnn, NoiseMaximizesTheDirectLikelihood) {
  Learned data = wave_data(30, 6);
  Rng rng(7, "noise");
  for (double& y : data.y) y += 0.5 * rng.normal();
  InfiniteBnn model({});
  model.fit(data.X, data.y, Rng(1, "fit"));
  const Regression::Parameters found = model.regression().parameters();
  const PositivePrior prior = InfiniteBnnOptions{}.noise_prior;
  const auto value = [&](double noise, double mean) {
    Regression::Parameters p = found;
    p.noise_variance = noise;
    p.mean = mean;
    return Regression(p, data.X, data.y).log_likelihood() + prior.log_density(noise);
  };
  const double best = value(found.noise_variance, found.mean);
  EXPECT_GT(best, value(found.noise_variance * 1.1, found.mean));
  EXPECT_GT(best, value(found.noise_variance / 1.1, found.mean));
  EXPECT_GT(best, value(found.noise_variance, found.mean + 1.0));
  EXPECT_GT(best, value(found.noise_variance, found.mean - 1.0));
}

TEST(DeepKernel, LossGradientMatchesDifferences) {
  const Learned data = wave_data(7, 8);
  const nn::MlpShape shape({2, 4, 3}, nn::Activation::tanh, nn::Activation::tanh);
  Vector theta(shape.parameters() + 3 + 3);
  Rng rng(9, "theta");
  for (double& t : theta) t = rng.uniform(-0.8, 0.8);
  theta[theta.size() - 1] = 0.3;
  const Vector z = Standardize::of(data.y).apply(data.y);
  Vector gradient;
  deep_kernel_loss(shape, data.X, z, theta, &gradient);
  testing::expect_gradient(
      [&](ConstVectorRef t) { return deep_kernel_loss(shape, data.X, z, t, nullptr); }, theta,
      gradient);
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
// Trained estimates against closed forms. Tolerances are about four standard errors of the sample:
// the log density ratio of a Gaussian pair has variance rho^2 per dimension.
#include "information/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "information/columns.hpp"
#include "information/gaussian_critic.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

struct Samples {
  Matrix X, Y;
};

Samples gaussian_samples(int n, int d, double rho, std::uint64_t seed = 1) {
  Rng rng(seed, "gaussian");
  Samples s{Matrix(d, n), Matrix(d, n)};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < d; ++k) {
      s.X(k, i) = rng.normal();
      s.Y(k, i) = rho * s.X(k, i) + std::sqrt(1.0 - rho * rho) * rng.normal();
    }
  }
  return s;
}

double gaussian_information(int d, double rho) { return -0.5 * d * std::log(1.0 - rho * rho); }

const EstimateOptions kQuick{.folds = 2, .max_steps = 400};

InformationEstimate estimate(const Samples& s, const EstimateOptions& options) {
  return estimate_information(s.X, s.Y, options).value();
}

TEST(GaussianCritic, FindsTheCanonicalCorrelations) {
  const Samples s = gaussian_samples(20000, 3, 0.8);
  Matrix mixing(3, 3);  // invariance: any linear map of one side
  mixing << 1.0, 2.0, -1.0, 0.0, 3.0, 0.5, 0.2, 0.0, 0.7;
  const GaussianCritic critic(s.X, mixing * s.Y, 1e-9);
  for (const double c : critic.correlations()) EXPECT_NEAR(c, 0.8, 0.02);
  EXPECT_NEAR(critic.mutual_information(), gaussian_information(3, 0.8), 0.06);
  EXPECT_EQ(critic.shrunk(1.0).mutual_information(), 0.0);
  EXPECT_LT(critic.shrunk(0.1).mutual_information(), critic.mutual_information());
}

// T itself against the log ratio of densities.
TEST(GaussianCritic, ScoresAreLogDensityRatios) {
  const double rho = 0.6;
  const Samples s = gaussian_samples(200000, 1, rho);
  const GaussianCritic critic(s.X, s.Y, 0.0);
  const Matrix x{{0.5, -1.0}};
  const Matrix y{{0.2, 1.3}};
  const auto f = critic.features(x, y);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double a = x(0, i), b = y(0, j), q = 1.0 - rho * rho;
      const double want =
          -0.5 * std::log(q) - (rho * rho * (a * a + b * b) - 2.0 * rho * a * b) / (2.0 * q);
      EXPECT_NEAR(f.left.col(i).dot(f.right.col(j)) + f.left_offset[i] + f.right_offset[j], want,
                  0.03);
    }
  }
  const GaussianCritic nothing;
  EXPECT_EQ(nothing.features(x, y).left.norm(), 0.0);
  EXPECT_EQ(nothing.mutual_information(), 0.0);
}

// The networks alone, without the Gaussian base that would know the answer.
TEST(Estimate, NetworksLearnCorrelatedGaussians) {
  EstimateOptions options = kQuick;
  options.gaussian_baseline = false;
  for (const double rho : {0.0, 0.5, 0.9}) {
    const int n = 2000;
    const InformationEstimate e = estimate(gaussian_samples(n, 1, rho), options);
    EXPECT_NEAR(e.raw, gaussian_information(1, rho), 0.03 + 4.0 * rho / std::sqrt(n)) << rho;
    EXPECT_LE(e.low, e.nats);
    EXPECT_GE(e.high, e.nats);
    EXPECT_LE(e.nats, e.ceiling);
  }
  options.max_steps = 600;
  const InformationEstimate five = estimate(gaussian_samples(3000, 5, 0.5), options);
  EXPECT_NEAR(five.raw, gaussian_information(5, 0.5), 0.2);
}

TEST(Estimate, GaussianBaseReachesTwentyDimensions) {
  const InformationEstimate e = estimate(gaussian_samples(3000, 20, 0.5), kQuick);
  EXPECT_NEAR(e.raw, gaussian_information(20, 0.5), 0.35);
  // Above the ceiling there is nothing to report: 23 nats look like ln(512) at most.
  const InformationEstimate much = estimate(gaussian_samples(3000, 20, 0.95), kQuick);
  EXPECT_GT(much.raw, 0.9 * much.ceiling);
  EXPECT_LE(much.raw, much.ceiling);
}

TEST(Estimate, EveryEstimatorFindsModerateInformation) {
  const Samples s = gaussian_samples(1500, 2, 0.7);
  const double truth = gaussian_information(2, 0.7);
  for (const Estimator estimator : all_estimators()) {
    if (estimator == Estimator::js) continue;  // for training only
    EstimateOptions options = kQuick;
    options.estimator = estimator;
    options.max_steps = 150;
    EXPECT_NEAR(estimate(s, options).raw, truth, 0.15) << to_string(estimator);
  }
}

// Y = U + 0.3 V with U, V uniform on [0,1]: I = 0.15 - ln 0.3. Not Gaussian at all, and the sharp
// edges are hard to learn: what is missing stays below a tenth.
// Labels that never come twice tell nothing that could be learned, and must not break anything.
TEST(Estimate, LabelsThatAreAllDifferent) {
  std::vector<DataColumn> columns(2);
  for (int i = 0; i < 120; ++i) {
    columns[0].labels.push_back("a" + std::to_string(i));
    columns[1].labels.push_back("b" + std::to_string(7 * i % 120));
  }
  const std::span<const DataColumn> all(columns);
  const InformationEstimate e =
      estimate({encode_columns(all.first(1)).values, encode_columns(all.last(1)).values},
               {.folds = 2, .max_steps = 20});
  EXPECT_TRUE(std::isfinite(e.nats));
  EXPECT_LT(e.nats, 0.5);
}

TEST(Estimate, UniformNoise) {
  Rng rng(1, "uniform");
  const int n = 3000;
  Samples s{Matrix(1, n), Matrix(1, n)};
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    s.X(0, i) = (u - 0.5) * 3.46;
    s.Y(0, i) = (u + 0.3 * rng.uniform() - 0.65) * 3.3;
  }
  EstimateOptions options = kQuick;
  options.max_steps = 800;
  const double truth = 0.15 - std::log(0.3);
  const InformationEstimate e = estimate(s, options);
  EXPECT_GT(e.raw, 0.9 * truth);
  EXPECT_LT(e.raw, 1.03 * truth);
  EXPECT_GT(e.raw, e.gaussian_nats + 0.02);
}

// A circle: zero correlation, plenty of information.
TEST(Estimate, DependenceWithoutCorrelation) {
  Rng rng(1, "circle");
  const int n = 2000;
  Samples s{Matrix(1, n), Matrix(1, n)};
  for (int i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * rng.uniform();
    s.X(0, i) = std::cos(angle) + 0.1 * rng.normal();
    s.Y(0, i) = std::sin(angle) + 0.1 * rng.normal();
  }
  EstimateOptions options = kQuick;
  options.max_steps = 800;
  const InformationEstimate e = estimate(s, options);
  EXPECT_NEAR(e.raw, 0.679, 0.1);  // the integral, by quadrature
  EXPECT_LT(e.gaussian_nats, 0.02);
}

TEST(Estimate, SameSeedSameBitsWhateverTheThreads) {
  const Samples s = gaussian_samples(300, 2, 0.6);
  EstimateOptions options{.folds = 3, .max_steps = 60, .threads = 1};
  const InformationEstimate one = estimate(s, options);
  options.threads = 3;
  const InformationEstimate three = estimate(s, options);
  EXPECT_EQ(one.fold_nats, three.fold_nats);
  options.seed = 2;
  EXPECT_NE(estimate(s, options).fold_nats, one.fold_nats);
}

TEST(Estimate, RefusesWhatItCannotDo) {
  const Samples s = gaussian_samples(100, 1, 0.5);
  EXPECT_FALSE(estimate_information(s.X, s.Y.leftCols(99)));
  EXPECT_FALSE(estimate_information(s.X.leftCols(20), s.Y.leftCols(20)));
  EXPECT_FALSE(estimate_information(s.X, s.Y, {.folds = 1}));
  EXPECT_FALSE(estimate_information(s.X, s.Y, {.folds = 50}));
  EXPECT_FALSE(estimate_information(s.X, s.Y, {.estimator_options = {.clip = 0.0}}));
  Matrix broken = s.X;
  broken(0, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(estimate_information(broken, s.Y));
  // No rows: no information, and no error.
  const InformationEstimate nothing = estimate_information(Matrix(0, 100), s.Y).value();
  EXPECT_EQ(nothing.nats, 0.0);
  EXPECT_EQ(nothing.high, 0.0);
}

}  // namespace
}  // namespace vbo

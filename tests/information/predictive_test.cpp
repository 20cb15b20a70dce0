// SPDX-License-Identifier: MIT
#include "information/predictive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/special.hpp"

namespace vbo {
namespace {

TEST(Predictive, WeightsAreASoftmaxPerColumn) {
  const Matrix logits{{0.0, 1000.0}, {std::log(3.0), 1000.0}};
  const Matrix w = predictive_weights(logits);
  EXPECT_NEAR(w(0, 0), 0.25, 1e-15);
  EXPECT_NEAR(w(1, 0), 0.75, 1e-15);
  EXPECT_EQ(w(0, 1), 0.5);
}

// Levels are quantiles of N(0,1); tilting them by the density ratio N(mu, s)/N(0,1) must give the
// mean, deviation, quantiles and entropy of N(mu, s).
TEST(Predictive, RecoversATiltedNormal) {
  const int M = 4000;
  const double mu = 0.6;
  const double s = 0.5;
  Vector levels(M);
  for (int j = 0; j < M; ++j) levels[j] = normal_quantile((j + 0.5) / M);
  const Vector logits = -0.5 * ((levels.array() - mu) / s).square() + 0.5 * levels.array().square();
  const Vector w = predictive_weights(logits);
  EXPECT_NEAR(predictive_mean(w, levels), mu, 1e-3);
  EXPECT_NEAR(std::sqrt(predictive_variance(w, levels)), s, 1e-3);
  for (const double p : {0.05, 0.5, 0.9}) {
    EXPECT_NEAR(predictive_quantile(w, levels, p), mu + s * normal_quantile(p), 2e-3) << p;
  }
  EXPECT_NEAR(probability_of_improvement(w, levels, 1.0), normal_cdf((mu - 1.0) / s), 1e-3);
  EXPECT_NEAR(std::log(expected_improvement(w, levels, 1.0)),
              log_expected_improvement(mu, s, 1.0).value, 5e-3);
  // KL(p(y|x) || p(y)) = ln M - H(w) for levels that sample p(y).
  EXPECT_NEAR(std::log(M) - predictive_entropy(w), -std::log(s) + 0.5 * (s * s + mu * mu - 1.0),
              1e-3);
}

TEST(Predictive, QuantileEnds) {
  const Vector levels{{1.0, 2.0, 4.0}};
  const Vector w{{0.5, 0.0, 0.5}};
  EXPECT_EQ(predictive_quantile(w, levels, 0.0), 1.0);
  EXPECT_EQ(predictive_quantile(w, levels, 1.0), 4.0);
  EXPECT_EQ(predictive_quantile(w, levels, 0.5), 2.0);
  const Vector sure{{0.0, 1.0, 0.0}};
  EXPECT_EQ(predictive_quantile(sure, levels, 0.5), 2.0);
  EXPECT_EQ(predictive_quantile(Vector{{1.0}}, Vector{{7.0}}, 0.3), 7.0);
  EXPECT_EQ(predictive_entropy(sure), 0.0);
  EXPECT_EQ(probability_of_improvement(w, levels, 2.0), 0.5);
}

}  // namespace
}  // namespace vbo

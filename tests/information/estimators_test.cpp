// SPDX-License-Identifier: MIT
#include "information/estimators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/extremes.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

Matrix random_scores(int rows, int cols, double size, std::uint64_t seed) {
  Rng rng(seed, "scores");
  return Matrix::NullaryExpr(rows, cols, [&] { return size * rng.normal(); });
}

double nats(Estimator estimator, const Matrix& T, EstimatorOptions options = {}) {
  return ScoreEstimator<double>(estimator, options).evaluate(T).nats;
}

// Worked by hand (and in extended precision) from the formulas in the header.
TEST(Estimators, KnownValues) {
  const Matrix T{{1.2, -0.3, 0.4}, {0.1, 0.9, -0.5}, {-0.7, 0.2, 1.5}};
  const double tolerance = 1e-13;
  EXPECT_NEAR(nats(Estimator::dv, T), 0.6294133954963865, tolerance);
  EXPECT_NEAR(nats(Estimator::dv_offdiagonal, T), 1.2579235491761398, tolerance);
  EXPECT_NEAR(nats(Estimator::mine, T), 1.2579235491761398, tolerance);
  EXPECT_NEAR(nats(Estimator::nwj, T), 0.8528240438021626, tolerance);
  EXPECT_NEAR(nats(Estimator::infonce, T), 0.6429385720011471, tolerance);
  EXPECT_NEAR(nats(Estimator::self_normalized, T), 0.6429385720011471, tolerance);
  EXPECT_NEAR(nats(Estimator::js, T), -0.9164780499158249, tolerance);
  EXPECT_NEAR(nats(Estimator::smile, T, {.clip = 0.25}), 1.2088723360052633, tolerance);
  EXPECT_NEAR(nats(Estimator::smile, T, {.clip = 1.0}), 1.2579235491761398, tolerance);
  const double shuffled =
      (1.2 + 0.9 + 1.5) / 3 - std::log((std::exp(-0.3) + std::exp(-0.5) + std::exp(-0.7)) / 3);
  EXPECT_NEAR(nats(Estimator::dv_shuffled, T), shuffled, tolerance);
}

TEST(Estimators, SquareGradients) {
  for (const int B : {1, 2, 3, 8}) {
    const Matrix T = random_scores(B, B, 1.3, 5);
    for (const Estimator estimator : all_estimators()) {
      if (B == 1 && !std::isfinite(nats(estimator, T))) continue;
      Matrix gradient;
      ScoreEstimator<double>(estimator).evaluate(T, &gradient);
      // smile follows the gradient of js by definition.
      const Estimator judged = estimator == Estimator::smile ? Estimator::js : estimator;
      testing::expect_matrix_gradient([&](const Matrix& S) { return nats(judged, S); }, T,
                                      gradient);
    }
  }
}

TEST(Estimators, SeparatedGradients) {
  const int N = 5;
  const int M = 7;
  const Matrix all = random_scores(N, M + 1, 1.3, 6);  // last column: the true pairs
  for (const Estimator estimator : all_estimators()) {
    const Estimator judged = estimator == Estimator::smile ? Estimator::js : estimator;
    const auto value = [&](const Matrix& S) {
      return ScoreEstimator<double>(judged).evaluate(Vector(S.col(M)), Matrix(S.leftCols(M))).nats;
    };
    Vector joint_gradient;
    Matrix gradient;
    ScoreEstimator<double>(estimator).evaluate(Vector(all.col(M)), Matrix(all.leftCols(M)),
                                               &joint_gradient, &gradient);
    Matrix together(N, M + 1);
    together << gradient, joint_gradient;
    testing::expect_matrix_gradient(value, all, together);
  }
}

TEST(Estimators, SquareAndSeparatedAgree) {
  const int B = 6;
  const Matrix T = random_scores(B, B, 1.0, 7);
  for (const Estimator e : {Estimator::dv, Estimator::self_normalized}) {
    EXPECT_NEAR(nats(e, T), ScoreEstimator<double>(e).evaluate(Vector(T.diagonal()), T).nats,
                1e-13);
  }
  Matrix off(B, B - 1);
  for (int i = 0; i < B; ++i) {
    for (int j = 0; j < B - 1; ++j) off(i, j) = T(i, j < i ? j : j + 1);
  }
  for (const Estimator e : {Estimator::dv_offdiagonal, Estimator::nwj, Estimator::js,
                            Estimator::smile, Estimator::infonce}) {
    EXPECT_NEAR(nats(e, T), ScoreEstimator<double>(e).evaluate(Vector(T.diagonal()), off).nats,
                1e-13)
        << to_string(e);
  }
}

// Jensen: normalizing for each x never lowers the bound, whatever the critic.
TEST(Estimators, SelfNormalizedIsNeverBelowDonskerVaradhan) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const int B = 2 + static_cast<int>(seed % 9);
    const Matrix T = random_scores(B, B, 0.1 + 0.1 * static_cast<double>(seed), seed);
    EXPECT_LE(nats(Estimator::dv, T), nats(Estimator::self_normalized, T) + 1e-12) << seed;
  }
}

TEST(Estimators, NothingPassesItsCeiling) {
  for (const Estimator estimator : all_estimators()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const int B = 2 + static_cast<int>(seed % 5);
      // Critics that push the diagonal ever higher.
      const Matrix T =
          random_scores(B, B, 1.0, seed) + static_cast<double>(seed) * Matrix::Identity(B, B);
      const InformationValue v = ScoreEstimator<double>(estimator).evaluate(T);
      EXPECT_LE(v.nats, v.ceiling + 1e-12) << to_string(estimator);
    }
  }
  const Matrix sure = 500.0 * Matrix::Identity(64, 64);
  for (const Estimator capped : {Estimator::dv, Estimator::infonce, Estimator::self_normalized}) {
    const InformationValue v = ScoreEstimator<double>(capped).evaluate(sure);
    EXPECT_DOUBLE_EQ(v.ceiling, std::log(64.0));
    EXPECT_NEAR(v.nats, std::log(64.0), 1e-12);
  }
  EXPECT_NEAR(nats(Estimator::dv_offdiagonal, sure), 500.0, 1e-9);
  EXPECT_EQ(ScoreEstimator<double>(Estimator::smile).evaluate(sure).ceiling, kInf);
}

TEST(Estimators, MineDividesByItsMovingAverage) {
  const double rate = 0.25;
  ScoreEstimator<double> mine(Estimator::mine, {.rate = rate});
  double average = 0.0;
  for (std::uint64_t step = 0; step < 5; ++step) {
    const int B = 4;
    const Matrix T = random_scores(B, B, 1.0, step);
    double mean = 0.0;
    for (int i = 0; i < B; ++i) {
      for (int j = 0; j < B; ++j) mean += i == j ? 0.0 : std::exp(T(i, j)) / (B * (B - 1));
    }
    average = step == 0 ? mean : (1.0 - rate) * average + rate * mean;
    Matrix gradient;
    EXPECT_NEAR(mine.evaluate(T, &gradient).nats, nats(Estimator::dv_offdiagonal, T), 1e-13);
    EXPECT_NEAR(gradient(1, 2), -std::exp(T(1, 2)) / (B * (B - 1) * average), 1e-13);
    EXPECT_NEAR(gradient(2, 2), 1.0 / B, 1e-15);
  }
}

TEST(Estimators, LargeScoresStayFiniteInFloat) {
  const MatrixOf<float> T = random_scores(16, 16, 1e4, 3).cast<float>();
  for (const Estimator estimator : all_estimators()) {
    if (estimator == Estimator::nwj) continue;  // e^T itself is its value
    MatrixOf<float> gradient;
    const InformationValue v = ScoreEstimator<float>(estimator).evaluate(T, &gradient);
    EXPECT_TRUE(std::isfinite(v.nats)) << to_string(estimator);
    EXPECT_TRUE(gradient.allFinite()) << to_string(estimator);
  }
}

TEST(Estimators, FloatAgreesWithDouble) {
  const Matrix T = random_scores(32, 32, 1.0, 4);
  for (const Estimator estimator : all_estimators()) {
    Matrix want;
    MatrixOf<float> got;
    const double value = ScoreEstimator<double>(estimator).evaluate(T, &want).nats;
    const double single = ScoreEstimator<float>(estimator).evaluate(T.cast<float>(), &got).nats;
    EXPECT_NEAR(single, value, 1e-5) << to_string(estimator);
    EXPECT_LT((got.cast<double>() - want).cwiseAbs().maxCoeff(), 1e-6) << to_string(estimator);
  }
}

TEST(Estimators, NamesGoBothWays) {
  for (const Estimator estimator : all_estimators()) {
    EXPECT_EQ(estimator_from(to_string(estimator)), estimator);
  }
  EXPECT_FALSE(estimator_from("mutual"));
}

}  // namespace
}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "information/decomposition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/flops.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

struct Shape {
  int levels, critics, inputs;
};
const std::vector<Shape> kShapes{{1, 1, 1}, {2, 1, 1}, {5, 3, 1}, {4, 1, 6}, {16, 4, 6}, {7, 2, 3}};

Matrix random_logits(const Shape& s, double size, std::uint64_t seed = 1) {
  Rng rng(seed, "logits");
  return Matrix::NullaryExpr(s.levels, s.critics * s.inputs, [&] { return size * rng.normal(); });
}

double entropy(const Vector& p) {
  double h = 0.0;
  for (const double q : p) h -= q > 0.0 ? q * std::log(q) : 0.0;
  return h;
}

DecompositionOf<double> decompose(const Matrix& logits, int critics, const Vector& levels,
                                  const DecompositionWeights& weights = {}) {
  DecompositionOf<double> out;
  decompose_information<double>(logits, critics, levels, weights, WithGradient::yes, out);
  return out;
}

// The definitions, written down plainly.
TEST(Decomposition, MatchesTheDefinitions) {
  for (const Shape& s : kShapes) {
    const Matrix logits = random_logits(s, 2.0);
    const Vector y = Vector::LinSpaced(s.levels, -1.0, 2.0);
    const auto out = decompose(logits, s.critics, y, {.input_weight = 0.3, .model_weight = 0.7});
    Vector p = Vector::Zero(s.levels);
    double mean_m = 0.0, mean_h_pi = 0.0, mean_h_w = 0.0;
    for (int i = 0; i < s.inputs; ++i) {
      Vector p_i = Vector::Zero(s.levels);
      double h_w = 0.0;
      for (int k = 0; k < s.critics; ++k) {
        Vector w = logits.col(k * s.inputs + i).array().exp();
        w /= w.sum();
        h_w += entropy(w) / s.critics;
        p_i += w / s.critics;
      }
      EXPECT_NEAR(out.mean[i], p_i.dot(y), 1e-12);
      EXPECT_NEAR(out.predictive_entropy[i], entropy(p_i), 1e-12);
      EXPECT_NEAR(out.critic_entropy[i], h_w, 1e-12);
      EXPECT_NEAR(out.model_information[i], entropy(p_i) - h_w, 1e-12);
      EXPECT_LT((out.predictive.col(i) - p_i).norm(), 1e-12);
      p += p_i / s.inputs;
      mean_m += p_i.dot(y) / s.inputs;
      mean_h_pi += entropy(p_i) / s.inputs;
      mean_h_w += h_w / s.inputs;
    }
    EXPECT_LT((out.marginal - p).norm(), 1e-12);
    EXPECT_NEAR(out.input_information_mean, entropy(p) - mean_h_pi, 1e-12);
    EXPECT_NEAR(out.model_information_mean, mean_h_pi - mean_h_w, 1e-12);
    EXPECT_NEAR(out.objective,
                mean_m + 0.3 * (entropy(p) - mean_h_pi) + 0.7 * (mean_h_pi - mean_h_w), 1e-12);
    // Chain rule, and shares that add up.
    EXPECT_NEAR(out.total_information, entropy(p) - mean_h_w, 1e-12);
    EXPECT_NEAR(out.input_information.mean(), out.input_information_mean, 1e-12);
    EXPECT_NEAR(out.model_information.mean(), out.model_information_mean, 1e-12);
    EXPECT_NEAR(out.score.mean(), out.objective, 1e-12);
    EXPECT_GE(out.input_information.minCoeff(), 0.0);
    EXPECT_GE(out.model_information.minCoeff(), 0.0);
    EXPECT_LE(out.input_information_mean, std::log(std::min(s.inputs, s.levels)) + 1e-12);
    EXPECT_LE(out.model_information_mean, std::log(std::min(s.critics, s.levels)) + 1e-12);
  }
}

TEST(Decomposition, GradientByLogits) {
  for (const Shape& s : kShapes) {
    const Matrix logits = random_logits(s, 1.5);
    const Vector y = Vector::LinSpaced(s.levels, -1.0, 2.0);
    for (const DecompositionWeights weights :
         {DecompositionWeights{0.0, 0.0}, DecompositionWeights{0.6, 0.6},
          DecompositionWeights{2.0, 0.1}, DecompositionWeights{0.5, 0.8, 0.0}}) {
      const auto f = [&](const Matrix& L) { return decompose(L, s.critics, y, weights).objective; };
      testing::expect_matrix_gradient(f, logits, decompose(logits, s.critics, y, weights).gradient);
    }
  }
}

TEST(Decomposition, KnownExtremes) {
  const int M = 4;
  const Vector y = Vector::LinSpaced(M, 0.0, 3.0);
  // Critics sure of different levels at one input: all of ln K is information about f.
  Matrix disagree = Matrix::Constant(M, 3, -200.0);
  for (int k = 0; k < 3; ++k) disagree(k, k) = 200.0;
  const auto f = decompose(disagree, 3, y);
  EXPECT_NEAR(f.model_information_mean, std::log(3.0), 1e-12);
  EXPECT_NEAR(f.input_information_mean, 0.0, 1e-12);
  EXPECT_TRUE(f.gradient.allFinite());
  // One critic sure of a different level at each input: all of ln B is information about x.
  const auto x = decompose(disagree, 1, y);
  EXPECT_NEAR(x.input_information_mean, std::log(3.0), 1e-12);
  EXPECT_NEAR(x.model_information_mean, 0.0, 1e-12);
  EXPECT_NEAR(x.mean[2], 2.0, 1e-12);
  // Critics that know nothing tell nothing.
  const auto nothing = decompose(Matrix::Zero(M, 6), 2, y);
  EXPECT_NEAR(nothing.total_information, 0.0, 1e-14);
  EXPECT_NEAR(nothing.mean[0], 1.5, 1e-14);
}

TEST(Decomposition, FloatAgreesWithDoubleEvenForExtremeLogits) {
  for (const double size : {1.0, 10.0, 300.0}) {
    const Shape s{32, 8, 64};
    const Matrix logits = random_logits(s, size);
    const Vector y = Vector::LinSpaced(s.levels, -2.0, 2.0);
    const MatrixOf<float> single = logits.cast<float>();
    const VectorOf<float> levels = y.cast<float>();
    DecompositionOf<float> out;
    decompose_information<float>(single, s.critics, levels, {0.5, 0.5}, WithGradient::yes, out);
    const auto want = decompose(single.cast<double>(), s.critics, y, {0.5, 0.5});
    EXPECT_NEAR(out.objective, want.objective, 2e-6);
    // The chain rule in single precision.
    EXPECT_NEAR(out.total_information,
                out.marginal_entropy - out.critic_entropy.cast<double>().mean(), 1e-6);
    EXPECT_LT((out.gradient.cast<double>() - want.gradient).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((out.score.cast<double>() - want.score).cwiseAbs().maxCoeff(), 2e-5);
  }
}

TEST(Decomposition, IsTheSameOnAnyNumberOfThreads) {
  const Shape s{8, 3, 600};
  const Vector y = Vector::LinSpaced(s.levels, 0.0, 1.0);
  const Matrix logits = random_logits(s, 2.0);
  DecompositionOf<double> alone, many;
  decompose_information<double>(logits, 3, y, {}, WithGradient::yes, alone);
  decompose_information<double>(logits, 3, y, {}, WithGradient::yes, many, 4);
  EXPECT_EQ(many.predictive, alone.predictive);
  EXPECT_EQ(many.score, alone.score);
  EXPECT_EQ(many.gradient, alone.gradient);
  EXPECT_EQ(many.total_information, alone.total_information);
  EXPECT_EQ(many.objective, alone.objective);
}

TEST(Decomposition, ReusesItsMemoryAndCounts) {
  const Shape s{8, 2, 5};
  const Vector y = Vector::LinSpaced(s.levels, 0.0, 1.0);
  DecompositionOf<double> out;
  decompose_information<double>(random_logits(s, 1.0), 2, y, {}, WithGradient::yes, out);
  const double* before = out.gradient.data();
  const double* weights = out.weights.data();
  const flops::Scope scope;
  decompose_information<double>(random_logits(s, 1.0, 9), 2, y, {}, WithGradient::no, out);
  EXPECT_EQ(out.gradient.data(), before);
  EXPECT_EQ(out.weights.data(), weights);
  EXPECT_GT(scope.count(), 8U * 8U * 10U);
}

}  // namespace
}  // namespace vbo

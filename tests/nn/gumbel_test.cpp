// SPDX-License-Identifier: MIT
#include "nn/gumbel.hpp"

#include <gtest/gtest.h>

#include "gradients.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

Matrix uniforms(Index rows, Index cols) {
  Rng rng(9, "gumbel-test");
  Matrix U(rows, cols);
  for (Index i = 0; i < U.size(); ++i) U.data()[i] = rng.uniform();
  return U;
}

TEST(Gumbel, GoldenValue) {
  const Matrix A{{0.2}, {-0.5}, {1.0}}, U{{0.3}, {0.9}, {0.5}};
  Matrix Y(3, 1);
  gumbel_softmax<double>(A, U, 0.5, Y);
  const Vector want{{0.020770915321071615, 0.6688380002078468, 0.3103910844710816}};
  EXPECT_LT((Y - want).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Gumbel, GradientOfTheLogits) {
  for (const auto& [K, N] : {std::pair<Index, Index>{5, 1}, {3, 4}, {17, 2}}) {
    Matrix A = reference::random<double>(K, N, 1), Y(K, N), dA(K, N);
    const Matrix U = uniforms(K, N), C = reference::random<double>(K, N, 2);
    const auto loss = [&] {
      gumbel_softmax<double>(A, U, 0.7, Y);
      return Y.cwiseProduct(C).sum();
    };
    loss();
    gumbel_softmax_backward<double>(Y, C, 0.7, dA);
    expect_gradient(loss, flat(A), flat(dA));
  }
}

TEST(Gumbel, ChoicesFollowTheLogits) {
  const Index N = 20000;
  const Vector logits{{0.0, 1.0, -1.0}};
  const Matrix A = logits.replicate(1, N);
  Matrix Y(3, N);
  gumbel_softmax<double>(A, uniforms(3, N), 1.0, Y);
  one_hot_argmax<double>(Y, Y);
  const Vector frequency = Y.rowwise().mean(), e = logits.array().exp();
  for (Index k = 0; k < 3; ++k) {
    const double p = e[k] / e.sum();
    EXPECT_NEAR(frequency[k], p, 4 * std::sqrt(p * (1 - p) / double(N)));
  }
}

TEST(Gumbel, SurvivesExtremeUniforms) {
  const Matrix A = Matrix::Zero(2, 1), U{{0.0}, {1.0}};
  Matrix Y(2, 1);
  gumbel_softmax<double>(A, U, 0.5, Y);
  EXPECT_TRUE(Y.allFinite());
  EXPECT_NEAR(Y.sum(), 1, 1e-12);
}

TEST(Gumbel, OneHotTakesTheFirstOfEquals) {
  const Matrix Y{{0.2, 0.4}, {0.5, 0.4}, {0.3, 0.2}};
  Matrix hard(3, 2);
  one_hot_argmax<double>(Y, hard);
  EXPECT_EQ(hard, (Matrix{{0, 1}, {1, 0}, {0, 0}}));
}

TEST(Gumbel, TemperatureFallsGeometrically) {
  EXPECT_DOUBLE_EQ(geometric_temperature(1.0, 0.5, 0, 100), 1.0);
  EXPECT_DOUBLE_EQ(geometric_temperature(1.0, 0.25, 50, 100), 0.5);
  EXPECT_DOUBLE_EQ(geometric_temperature(1.0, 0.5, 200, 100), 0.5);
}

}  // namespace
}  // namespace vbo::nn

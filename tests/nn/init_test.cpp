// SPDX-License-Identifier: MIT
#include "nn/init.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vbo::nn {
namespace {

const MlpShape kShape({50, 80, 40});

TEST(Init, UniformFanInStaysInItsLimits) {
  Mlp<double> net(kShape);
  Rng rng(1);
  init_uniform_fan_in(kShape, net.parameters(), rng);
  for (int l = 0; l < 2; ++l) {
    const double limit = 1 / std::sqrt(static_cast<double>(net.weights(l).cols()));
    EXPECT_LE(net.weights(l).cwiseAbs().maxCoeff(), limit);
    EXPECT_LE(net.bias(l).cwiseAbs().maxCoeff(), limit);
    EXPECT_GT(net.bias(l).cwiseAbs().maxCoeff(), 0);
    // Variance of U(-a,a) is a^2/3; 3 standard errors of a mean of squares.
    const auto count = static_cast<double>(net.weights(l).size());
    EXPECT_NEAR(net.weights(l).squaredNorm() / count, limit * limit / 3,
                3 * limit * limit * std::sqrt(4.0 / 45 / count));
  }
}

TEST(Init, GlorotAndNormal) {
  Mlp<double> net(kShape);
  Rng rng(2);
  init_glorot(kShape, net.parameters(), rng);
  EXPECT_LE(net.weights(0).cwiseAbs().maxCoeff(), std::sqrt(6.0 / 130));
  EXPECT_GT(net.weights(0).cwiseAbs().maxCoeff(), 0.99 * std::sqrt(6.0 / 130));
  EXPECT_EQ(net.bias(0).cwiseAbs().maxCoeff(), 0);
  init_normal(kShape, net.parameters(), 0.01, rng);
  const auto count = static_cast<double>(net.parameters().size());
  const Eigen::Map<Vector> all(net.parameters().data(), kShape.parameters());
  EXPECT_NEAR(all.squaredNorm() / count, 1e-4, 3e-4 * std::sqrt(2 / count));
}

TEST(Init, OrthogonalInBothDirections) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{80, 50}, {40, 80}, {6, 6}, {1, 4}}) {
    Matrix W(rows, cols);
    Rng rng(3);
    fill_orthogonal<double>({W.data(), static_cast<std::size_t>(W.size())}, rows, cols, 2.0, rng);
    const Matrix gram = rows >= cols ? Matrix(W.transpose() * W) : Matrix(W * W.transpose());
    EXPECT_LT((gram - 4 * Matrix::Identity(gram.rows(), gram.rows())).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Init, ZeroLastLayerMakesTheOutputZero) {
  Mlp<double> net(kShape);
  Rng rng(4);
  init_orthogonal(kShape, net.parameters(), 1.0, rng);
  zero_last_layer(kShape, net.parameters());
  EXPECT_GT(net.weights(0).norm(), 1);
  EXPECT_EQ(net.forward(Matrix::Ones(50, 3)).cwiseAbs().maxCoeff(), 0);
}

TEST(Init, FloatIsTheRoundedDouble) {
  Mlp<double> exact(kShape);
  Mlp<float> net(kShape);
  Rng a(5), b(5);
  init_uniform_fan_in(kShape, exact.parameters(), a);
  init_uniform_fan_in(kShape, net.parameters(), b);
  for (std::size_t i = 0; i < net.parameters().size(); ++i) {
    EXPECT_EQ(net.parameters()[i], static_cast<float>(exact.parameters()[i]));
  }
}

}  // namespace
}  // namespace vbo::nn

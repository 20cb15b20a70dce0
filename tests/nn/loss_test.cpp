// SPDX-License-Identifier: MIT
#include "nn/loss.hpp"

#include <gtest/gtest.h>

#include "gradients.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

constexpr Index kShapes[][2] = {{1, 1}, {3, 1}, {32, 5}, {17, 4}, {8, 9}};

TEST(Softmax, SumsToOneAndEqualsThePlainForm) {
  for (const auto& [m, n] : kShapes) {
    const Matrix z = reference::random<double>(m, n, 1, 3.0);
    Matrix w(m, n);
    softmax<double>(z, w);
    for (Index j = 0; j < n; ++j) {
      const Vector e = z.col(j).array().exp();
      EXPECT_LT((w.col(j) - e / e.sum()).cwiseAbs().maxCoeff(), 1e-15);
    }
    Matrix in_place = z;
    softmax<double>(in_place, in_place);
    EXPECT_EQ(in_place, w);
  }
}

TEST(Softmax, SurvivesLargeLogits) {
  Matrix z(3, 1), w(3, 1);
  z << 1e5, -1e5, 1e5;
  softmax<double>(z, w);
  EXPECT_DOUBLE_EQ(w(0), 0.5);
  EXPECT_LT(w(1), 1e-300);
}

TEST(SoftmaxCrossEntropy, GradientForIndices) {
  for (const auto& [m, n] : kShapes) {
    Matrix z = reference::random<double>(m, n, 2), dz;
    std::vector<int> target;
    for (Index j = 0; j < n; ++j) target.push_back(static_cast<int>((5 * j + 1) % m));
    softmax_cross_entropy<double>(z, target, &dz);
    const auto loss = [&] { return softmax_cross_entropy<double>(z, target, nullptr); };
    Matrix again;
    EXPECT_NEAR(softmax_cross_entropy<double>(z, target, &again), loss(), 1e-13);
    expect_gradient(loss, flat(z), flat(dz));
  }
}

TEST(SoftmaxCrossEntropy, GradientForDistributions) {
  for (const auto& [m, n] : kShapes) {
    Matrix z = reference::random<double>(m, n, 3), P(m, n), dz;
    softmax<double>(reference::random<double>(m, n, 4), P);
    const double with = softmax_cross_entropy<double>(z, P, &dz);
    const auto loss = [&] { return softmax_cross_entropy<double>(z, P, nullptr); };
    EXPECT_NEAR(with, loss(), 1e-13);
    expect_gradient(loss, flat(z), flat(dz));
  }
}

TEST(SoftmaxCrossEntropy, UniformLogitsCostLogM) {
  const Matrix z = Matrix::Zero(32, 4);
  const std::vector<int> target = {0, 31, 5, 7};
  EXPECT_NEAR(softmax_cross_entropy<double>(z, target, nullptr), std::log(32.0), 1e-14);
}

TEST(Mse, ValueAndGradient) {
  for (const auto& [m, n] : kShapes) {
    Matrix Y = reference::random<double>(m, n, 5), dY;
    const Matrix target = reference::random<double>(m, n, 6);
    const auto loss = [&] { return mse<double>(Y, target, nullptr); };
    EXPECT_NEAR(mse<double>(Y, target, &dY), (Y - target).squaredNorm() / double(m * n), 1e-14);
    expect_gradient(loss, flat(Y), flat(dY));
  }
}

TEST(Loss, RefusesWrongShapes) {
  const Matrix Y = Matrix::Zero(2, 3);
  EXPECT_THROW(mse<double>(Y, Matrix::Zero(3, 2), nullptr), std::invalid_argument);
  EXPECT_THROW(softmax_cross_entropy<double>(Y, std::vector<int>{0}, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace vbo::nn

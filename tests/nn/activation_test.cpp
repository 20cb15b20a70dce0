// SPDX-License-Identifier: MIT
#include "nn/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference.hpp"

namespace vbo::nn {
namespace {

constexpr Activation kAll[] = {Activation::linear, Activation::tanh, Activation::relu,
                               Activation::silu, Activation::elu};

// Relative error against the standard library, with an absolute floor near zero.
template <class T>
void expect_accurate(double units) {
  const double epsilon = std::numeric_limits<T>::epsilon();
  for (const Activation activation : kAll) {
    std::vector<T> z, y;
    for (int i = -4000; i <= 4000; ++i) z.push_back(static_cast<T>(i * 0.005 + i % 7 * 1e-4));
    for (int e = -20; e <= 0; ++e) z.push_back(static_cast<T>(std::pow(2.0, e)));
    y = z;
    activate<T>(activation, static_cast<Index>(y.size()), y.data(), nullptr);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double want = reference::activate(activation, static_cast<double>(z[i]));
      // elu subtracts one: its error is relative to one.
      const double scale = activation == Activation::elu ? 1.0 : std::abs(want);
      EXPECT_NEAR(y[i], want, units * epsilon * scale + std::numeric_limits<T>::min())
          << to_string(activation) << " at " << z[i];
    }
  }
}

TEST(Activation, IsAccurateInFloat) { expect_accurate<float>(6); }
TEST(Activation, IsAccurateInDouble) { expect_accurate<double>(6); }

TEST(Activation, SurvivesTheEndsOfTheRange) {
  for (const Activation activation : kAll) {
    for (const float z : {1e30F, 100.0F, 89.0F}) {
      float y[2] = {z, -z}, slope[2] = {};
      activate<float>(activation, 2, y, slope);
      EXPECT_TRUE(std::isfinite(y[0]) && std::isfinite(y[1])) << to_string(activation);
      EXPECT_NEAR(y[0], reference::activate(activation, z), 1e-6 * z);
      EXPECT_NEAR(y[1], reference::activate(activation, -z), 1e-6 * z);
    }
    float nan = std::nanf("");
    activate<float>(activation, 1, &nan, nullptr);
    EXPECT_TRUE(std::isnan(nan)) << to_string(activation);
  }
}

TEST(Activation, ResultDoesNotDependOnThePosition) {
  const MatrixOf<float> z = reference::random<float>(1, 64, 5, 2.0);
  for (const Activation activation : kAll) {
    MatrixOf<float> whole = z;
    activate<float>(activation, 64, whole.data(), nullptr);
    for (Index i = 0; i < 64; ++i) {
      float one = z(0, i);
      activate<float>(activation, 1, &one, nullptr);
      EXPECT_EQ(one, whole(0, i)) << to_string(activation);
    }
  }
}

TEST(Activation, BackwardIsTheDerivative) {
  const Index n = 41;
  const Matrix z = reference::random<double>(n, 1, 6), dy = reference::random<double>(n, 1, 7);
  for (const Activation activation : kAll) {
    Matrix y = z, slope(n, 1), dz(n, 1);
    activate<double>(activation, n, y.data(), slope.data());
    activate_backward<double>(activation, n, y.data(), slope.data(), dy.data(), dz.data());
    for (Index i = 0; i < n; ++i) {
      const double h = 1e-5, up = reference::activate(activation, z(i) + h),
                   down = reference::activate(activation, z(i) - h);
      EXPECT_NEAR(dz(i), dy(i) * (up - down) / (2 * h), 1e-8) << to_string(activation);
    }
  }
}

}  // namespace
}  // namespace vbo::nn

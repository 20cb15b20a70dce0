// SPDX-License-Identifier: MIT
#include "nn/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "numerics/flops.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

// The textbook update of one parameter.
struct Plain {
  AdamOptions o;
  double m = 0, v = 0, v_max = 0;
  int t = 0;
  double step(double theta, double g) {
    ++t;
    g += o.weight_decay * theta;
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    v_max = std::max(v_max, v);
    const double m_hat = m / (1 - std::pow(o.beta1, t));
    const double v_hat = (o.amsgrad ? v_max : v) / (1 - std::pow(o.beta2, t));
    return theta - o.learning_rate * m_hat / (std::sqrt(v_hat) + o.epsilon);
  }
};

TEST(Adam, EqualsTheTextbook) {
  for (const bool amsgrad : {false, true}) {
    for (const double decay : {0.0, 0.01}) {
      const AdamOptions options = {.learning_rate = 0.1, .weight_decay = decay, .amsgrad = amsgrad};
      const Index n = 37;
      std::vector<Plain> plain(n, Plain{options});
      Adam<double> adam(n, options);
      Matrix theta = reference::random<double>(n, 1, 1), want = theta;
      for (int s = 0; s < 20; ++s) {
        const Matrix g = reference::random<double>(n, 1, 100 + static_cast<std::uint64_t>(s),
                                                   s < 3 ? 10.0 : 0.1);
        adam.step({theta.data(), size_t(n)}, {g.data(), size_t(n)});
        for (Index i = 0; i < n; ++i) want(i) = plain[size_t(i)].step(want(i), g(i));
      }
      EXPECT_LT((theta - want).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_EQ(adam.steps(), 20);
    }
  }
}

TEST(Adam, MinimizesAQuadratic) {
  Adam<float> adam(2, {.learning_rate = 0.05F});
  std::vector<float> x = {3, -2};
  for (int s = 0; s < 2000; ++s) {
    const std::vector<float> g = {2 * (x[0] - 1), 20 * (x[1] - 2)};
    adam.set_learning_rate(cosine_rate(0.05, s, 2000));
    adam.step(x, std::span<const float>(g));
  }
  EXPECT_NEAR(x[0], 1, 1e-4);
  EXPECT_NEAR(x[1], 2, 1e-4);
}

TEST(Adam, ResetForgets) {
  Adam<double> adam(1, {.amsgrad = true});
  std::vector<double> x = {1}, g = {3};
  adam.step(x, std::span<const double>(g));
  const double first = x[0];
  adam.step(x, std::span<const double>(g));
  adam.reset();
  x = {1};
  adam.step(x, std::span<const double>(g));
  EXPECT_EQ(x[0], first);
}

TEST(Adam, NamesTheFieldThatIsWrong) {
  EXPECT_TRUE(AdamOptions{}.validate());
  EXPECT_NE(AdamOptions{.learning_rate = -1}.validate().error().message.find("learning_rate"),
            std::string::npos);
  EXPECT_FALSE(AdamOptions{.beta1 = 1.0}.validate());
  EXPECT_FALSE(AdamOptions{.beta2 = -0.1}.validate());
  EXPECT_FALSE(AdamOptions{.epsilon = 0}.validate());
  EXPECT_FALSE(AdamOptions{.weight_decay = -1}.validate());
  EXPECT_FALSE(AdamOptions{.learning_rate = std::nan("")}.validate());
}

TEST(Adam, CountsItsOperations) {
  std::vector<float> x(10), g(10);
  Adam<float> plain(10), ams(10, {.amsgrad = true});
  const flops::Scope scope;
  plain.step(x, std::span<const float>(g));
  EXPECT_EQ(scope.count(), 150U);
  ams.step(x, std::span<const float>(g));
  EXPECT_EQ(scope.count(), 310U);
}

TEST(ClipNorm, ScalesOnlyWhatIsTooLong) {
  std::vector<double> g = {3, 4};
  EXPECT_DOUBLE_EQ(clip_norm<double>(g, 10), 5);
  EXPECT_EQ(g, (std::vector<double>{3, 4}));
  EXPECT_DOUBLE_EQ(clip_norm<double>(g, 1), 5);
  EXPECT_DOUBLE_EQ(std::hypot(g[0], g[1]), 1);
  std::vector<float> many(1003, 2.0F);
  EXPECT_NEAR(clip_norm<float>(many, 1.0), 2 * std::sqrt(1003.0), 1e-4);
  EXPECT_NEAR(clip_norm<float>(many, 100.0), 1.0, 1e-6);
}

TEST(ClipNorm, ReplacesNonFiniteGradientsByZero) {
  std::vector<float> g = {1, std::numeric_limits<float>::infinity()};
  EXPECT_FALSE(std::isfinite(clip_norm<float>(g, 1)));
  EXPECT_EQ(g, (std::vector<float>{0, 0}));
  g = {std::nanf(""), 1};
  clip_norm<float>(g, 1);
  EXPECT_EQ(g, (std::vector<float>{0, 0}));
}

TEST(CosineRate, FallsFromRateToZero) {
  EXPECT_DOUBLE_EQ(cosine_rate(0.1, 0, 1000), 0.1);
  EXPECT_DOUBLE_EQ(cosine_rate(0.1, 500, 1000), 0.05);
  EXPECT_EQ(cosine_rate(0.1, 1000, 1000), 0);
  EXPECT_EQ(cosine_rate(0.1, 2000, 1000), 0);
}

}  // namespace
}  // namespace vbo::nn

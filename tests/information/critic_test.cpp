// SPDX-License-Identifier: MIT
// Critics that are networks: gradients that reach the inputs, and a trained critic as the
// predictive distribution of a known conditional.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "information/decomposition.hpp"
#include "information/predictive.hpp"
#include "nn/adam.hpp"
#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "nn/mlp.hpp"
#include "numerics/special.hpp"
#include "support/gradient_check.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

TEST(CriticGradient, ReachesTheInputsThroughEveryCritic) {
  const int D = 3;
  const int M = 6;
  const int K = 2;
  for (const int B : {1, 4}) {
    std::vector<nn::Mlp<double>> critics;
    for (int k = 0; k < K; ++k) {
      critics.emplace_back(nn::MlpShape({D, 8, M}, nn::Activation::tanh));
      Rng rng(3, "critic", static_cast<std::uint64_t>(k));
      nn::init_glorot<double>(critics.back().shape(), critics.back().parameters(), rng);
    }
    const Vector levels = Vector::LinSpaced(M, -1.5, 1.5);
    const DecompositionWeights weights{.input_weight = 0.7, .model_weight = 0.7};
    DecompositionOf<double> out;
    const auto objective = [&](const Matrix& X) {
      Matrix logits(M, K * B);
      for (int k = 0; k < K; ++k) {
        logits.middleCols(k * B, B) = critics[static_cast<std::size_t>(k)].forward(X);
      }
      decompose_information<double>(logits, K, levels, weights, WithGradient::yes, out);
      return out.objective;
    };
    Rng rng(4, "inputs");
    const Matrix X = Matrix::NullaryExpr(D, B, [&] { return rng.normal(); });
    objective(X);
    Matrix dX = Matrix::Zero(D, B);
    for (int k = 0; k < K; ++k) {
      Matrix part;
      critics[static_cast<std::size_t>(k)].backward_input(out.gradient.middleCols(k * B, B), part);
      dX += part;
    }
    testing::expect_matrix_gradient(objective, X, dX);
  }
}

// y given x: an even mixture of N(+-c(x), s(x)^2) on x in [0,1], so one hump at x = 0 and two at
// x = 1, with a width that grows.
struct Conditional {
  static double centre(double x) { return 1.6 * x; }
  static double sigma(double x) { return 0.25 + 0.25 * x; }
  static double density(double x, double y) {
    const double s = sigma(x);
    return 0.5 * (normal_pdf((y - centre(x)) / s) + normal_pdf((y + centre(x)) / s)) / s;
  }
  static double cdf(double x, double y) {
    const double s = sigma(x);
    return 0.5 * (normal_cdf((y - centre(x)) / s) + normal_cdf((y + centre(x)) / s));
  }
  static double shifted(double x, double y) { return y - 0.8 * std::sin(3.0 * x); }  // adds a mean
};

TEST(TrainedCritic, RecoversTheConditionalDistribution) {
  const int N = 30000;
  const int M = 64;
  Rng rng(1, "conditional");
  std::vector<double> x(N), y(N);
  for (int n = 0; n < N; ++n) {
    x[n] = rng.uniform();
    const double sign = rng.uniform() < 0.5 ? -1.0 : 1.0;
    y[n] = 0.8 * std::sin(3.0 * x[n]) + sign * Conditional::centre(x[n]) +
           Conditional::sigma(x[n]) * rng.normal();
  }
  // M levels: the means of M equally filled bins of the marginal.
  std::vector<int> order(N), bin(N);
  for (int n = 0; n < N; ++n) order[n] = n;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return y[a] < y[b]; });
  Vector levels = Vector::Zero(M);
  Vector filled = Vector::Zero(M);
  for (int r = 0; r < N; ++r) {
    bin[order[r]] = static_cast<int>(static_cast<std::int64_t>(r) * M / N);
    levels[bin[order[r]]] += y[order[r]];
    filled[bin[order[r]]] += 1.0;
  }
  levels.array() /= filled.array();

  // Cross-entropy over the levels is minus the self-normalized bound, up to ln M.
  nn::Mlp<float> critic(nn::MlpShape({1, 64, 64, M}, nn::Activation::relu));
  Rng init(2, "init");
  nn::init_glorot<float>(critic.shape(), critic.parameters(), init);
  nn::Adam<float> adam(critic.shape().parameters(), {.learning_rate = 5e-3});
  const int steps = 3000;
  const int B = 256;
  MatrixOf<float> X(1, B), dlogits;
  std::vector<int> target(B);
  double bound = 0.0;
  for (int step = 0; step < steps; ++step) {
    for (int b = 0; b < B; ++b) {
      const auto n = static_cast<std::size_t>(rng.below(N));
      X(0, b) = static_cast<float>(2.0 * x[n] - 1.0);
      target[b] = bin[n];
    }
    const double loss = nn::softmax_cross_entropy<float>(critic.forward(X), target, &dlogits);
    critic.backward(dlogits);
    adam.set_learning_rate(nn::cosine_rate(5e-3, step, steps));
    adam.step(critic.parameters(), critic.gradient());
    if (step >= steps - 200) bound += (std::log(M) - loss) / 200;
  }

  // The marginal density by quadrature, for the divergence of each conditional from it.
  const auto marginal = [](double value) {
    double sum = 0.0;
    for (int i = 0; i < 200; ++i) {
      const double at = (i + 0.5) / 200;
      sum += Conditional::density(at, Conditional::shifted(at, value)) / 200;
    }
    return sum;
  };
  double information = 0.0;
  for (const double at : {0.05, 0.25, 0.45, 0.65, 0.85}) {
    MatrixOf<float> input(1, 1);
    input << static_cast<float>(2.0 * at - 1.0);
    const Matrix logits = critic.forward(input).cast<double>();
    const Vector w = predictive_weights(logits).col(0);
    const double mean = 0.8 * std::sin(3.0 * at);
    const double deviation = std::hypot(Conditional::centre(at), Conditional::sigma(at));
    EXPECT_NEAR(predictive_mean(w, levels), mean, 0.06) << at;
    EXPECT_NEAR(std::sqrt(predictive_variance(w, levels)), deviation, 0.06) << at;
    for (const double p : {0.1, 0.25, 0.75, 0.9}) {
      // In probability, where the two humps leave no flat stretch to misjudge.
      const double q = predictive_quantile(w, levels, p);
      EXPECT_NEAR(Conditional::cdf(at, Conditional::shifted(at, q)), p, 0.04) << at << " " << p;
    }
    // ln M - H(w) = KL(p(y|x) || p(y)).
    double divergence = 0.0;
    const double dy = 0.02;
    for (double v = -5.0; v < 5.0; v += dy) {
      const double density = Conditional::density(at, Conditional::shifted(at, v));
      if (density > 1e-12) divergence += dy * density * std::log(density / marginal(v));
    }
    EXPECT_NEAR(std::log(M) - predictive_entropy(w), divergence, 0.06) << at;
    information += divergence / 5;
  }
  EXPECT_NEAR(bound, information, 0.12);  // the five inputs stand for all of [0,1]
}

}  // namespace
}  // namespace vbo

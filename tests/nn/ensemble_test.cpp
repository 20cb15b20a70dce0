// SPDX-License-Identifier: MIT
#include "nn/ensemble.hpp"

#include <gtest/gtest.h>

#include "nn/loss.hpp"
#include "numerics/flops.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

// y = sin(3 x1) + x2, learned from 256 points in minibatches of 32.
struct Regression {
  MatrixOf<float> X = reference::random<float>(2, 256, 1), Y{1, 256};
  Regression() { Y = (3 * X.row(0)).array().sin().matrix() + X.row(1); }

  double operator()(int, Member<float>& member) const {
    std::vector<int> batch(32);
    for (int& i : batch) i = static_cast<int>(member.rng.below(256));
    MatrixOf<float> target;
    gather_columns<float>(X, batch, member.X);
    gather_columns<float>(Y, batch, target);
    const double loss = mse<float>(member.net.forward(member.X), target, &member.dY);
    member.net.backward(member.dY);
    return loss;
  }
};

Ensemble<float> trained(int threads, int steps) {
  const Regression task;
  Ensemble<float> ensemble(MlpShape({2, 32, 32, 1}, Activation::silu), 5, {.learning_rate = 3e-3},
                           7);
  ensemble.train(threads, steps, task, 10.0);
  return ensemble;
}

TEST(Ensemble, ResultDoesNotDependOnTheNumberOfThreads) {
  Ensemble<float> one = trained(1, 50), four = trained(4, 50);
  for (int k = 0; k < one.size(); ++k) {
    const auto a = one[k].net.parameters(), b = four[k].net.parameters();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    EXPECT_EQ(one[k].loss, four[k].loss);
  }
}

TEST(Ensemble, MembersDiffer) {
  Ensemble<float> ensemble = trained(1, 1);
  EXPECT_NE(ensemble[0].net.parameters()[0], ensemble[1].net.parameters()[0]);
  EXPECT_NE(ensemble[0].loss, ensemble[1].loss);
}

TEST(Ensemble, FitsASmallRegression) {
  Ensemble<float> ensemble = trained(0, 4000);
  for (int k = 0; k < ensemble.size(); ++k) EXPECT_LT(ensemble[k].loss, 0.15);
  const Regression task;
  for (int k = 0; k < ensemble.size(); ++k) {
    EXPECT_LT(mse<float>(ensemble[k].net.forward(task.X), task.Y, nullptr), 0.01);
  }
}

TEST(Ensemble, CountsTheWorkOfAllThreads) {
  const auto count = [](int threads) {
    const flops::Scope scope;
    trained(threads, 3);
    return scope.count();
  };
  EXPECT_EQ(count(1), count(3));
  EXPECT_GT(count(1), 0U);
}

}  // namespace
}  // namespace vbo::nn

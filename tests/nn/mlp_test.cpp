// SPDX-License-Identifier: MIT
#include "nn/mlp.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gradients.hpp"
#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "numerics/flops.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

struct Case {
  std::vector<int> widths;
  Activation hidden, output;
  Index n;
};

const Case kCases[] = {
    {{3, 4}, Activation::tanh, Activation::linear, 1},
    {{3, 5, 2}, Activation::tanh, Activation::linear, 1},
    {{2, 7, 6, 1}, Activation::tanh, Activation::linear, 9},
    {{4, 17, 9, 3}, Activation::silu, Activation::tanh, 5},
    {{5, 8, 8, 4}, Activation::elu, Activation::linear, 3},
    {{1, 6, 5}, Activation::relu, Activation::silu, 7},
    {{3, 33, 2}, Activation::silu, Activation::elu, 2},
};

template <class T>
Mlp<T> make(const Case& c) {
  Mlp<T> net(MlpShape(c.widths, c.hidden, c.output));
  Rng rng(11, "mlp-test");
  init_uniform_fan_in(net.shape(), net.parameters(), rng);
  return net;
}

TEST(Mlp, ForwardEqualsThePlainLoop) {
  for (const Case& c : kCases) {
    Mlp<double> net = make<double>(c);
    const Matrix X = reference::random<double>(c.widths.front(), c.n, 3);
    const Matrix want = reference::forward(net, X);
    EXPECT_LT((net.forward(X) - want).cwiseAbs().maxCoeff(), 1e-14);
    Matrix Y(c.widths.back(), c.n);
    net.predict(X, Y);
    EXPECT_LT((Y - want).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(Mlp, PredictOverManySlicesEqualsForward) {
  Mlp<float> net(MlpShape({6, 20, 20, 3}, Activation::silu));
  Rng rng(1);
  init_glorot(net.shape(), net.parameters(), rng);
  const MatrixOf<float> X = reference::random<float>(6, 1000, 4);
  MatrixOf<float> Y(3, 1000);
  net.predict(X, Y);
  EXPECT_LT((net.forward(X) - Y).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(Mlp, GradientsOfParametersAndInputs) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(::testing::Message() << "inputs " << c.widths.front() << " N " << c.n);
    Mlp<double> net = make<double>(c);
    Matrix X = reference::random<double>(c.widths.front(), c.n, 5);
    const Matrix C = reference::random<double>(c.widths.back(), c.n, 6);
    const auto loss = [&] { return net.forward(X).cwiseProduct(C).sum(); };
    loss();
    Matrix dX;
    net.backward(C, dX);
    const Vector gradient = Eigen::Map<Vector>(net.gradient().data(), net.shape().parameters());
    expect_gradient(loss, net.parameters(), {gradient.data(), net.gradient().size()});
    expect_gradient(loss, flat(X), flat(dX));

    loss();
    Matrix only_input;
    net.backward_input(C, only_input);
    EXPECT_EQ(only_input, dX);
    net.backward(C, true);  // adds to what is there
    EXPECT_LT((Eigen::Map<Vector>(net.gradient().data(), gradient.size()) - 2 * gradient)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-13 * (1 + gradient.cwiseAbs().maxCoeff()));
  }
}

TEST(Mlp, ALargeBatchIsTheSumOfSmallOnes) {  // it runs in slices
  const Case c = {{3, 9, 7, 2}, Activation::silu, Activation::tanh, 601};
  Mlp<double> net = make<double>(c);
  const Matrix X = reference::random<double>(3, c.n, 5), C = reference::random<double>(2, c.n, 6);
  EXPECT_LT((net.forward(X) - reference::forward(net, X)).cwiseAbs().maxCoeff(), 1e-14);
  Matrix dX, part;
  net.backward(C, dX);
  const Vector whole = Eigen::Map<Vector>(net.gradient().data(), net.shape().parameters());
  for (Index j = 0; j < c.n; ++j) {
    net.forward(X.col(j));
    net.backward(C.col(j), part, j > 0);
    EXPECT_LT((part - dX.col(j)).cwiseAbs().maxCoeff(), 1e-14);
  }
  EXPECT_LT((Eigen::Map<Vector>(net.gradient().data(), whole.size()) - whole).norm(), 1e-11);
}

TEST(Mlp, AnEmptyBatchHasZeroGradient) {
  Mlp<double> net = make<double>(kCases[1]);
  EXPECT_EQ(net.forward(Matrix(3, 0)).cols(), 0);
  net.gradient()[0] = 1;
  net.backward(Matrix(2, 0));
  EXPECT_EQ(net.gradient()[0], 0);
}

TEST(Mlp, FloatEqualsDouble) {
  const Case c = {{20, 64, 64, 32}, Activation::silu, Activation::linear, 128};
  Mlp<double> exact = make<double>(c);
  Mlp<float> net = make<float>(c);
  const Matrix X = reference::random<double>(20, 128, 5), C = reference::random<double>(32, 128, 6);
  const MatrixOf<float> Xf = X.cast<float>(), Cf = C.cast<float>();
  EXPECT_LT((net.forward(Xf).cast<double>() - exact.forward(X)).cwiseAbs().maxCoeff(), 1e-5);
  Matrix dX;
  MatrixOf<float> dXf;
  exact.backward(C, dX);
  net.backward(Cf, dXf);
  EXPECT_LT((dXf.cast<double>() - dX).cwiseAbs().maxCoeff(), 1e-5);
  for (std::size_t i = 0; i < net.gradient().size(); ++i) {
    EXPECT_NEAR(net.gradient()[i], exact.gradient()[i], 1e-4);
  }
}

TEST(Mlp, CountsWhatItExecutes) {
  // 3 -> 5 -> 2 on N = 4: by hand.
  const auto N = 4U;
  Mlp<double> net(MlpShape({3, 5, 2}, Activation::tanh));
  const Matrix X = reference::random<double>(3, N, 1), dY = reference::random<double>(2, N, 2);
  const auto counted = [](auto&& work) {
    const flops::Scope scope;
    work();
    return scope.count();
  };
  const std::uint64_t products = 2 * N * (5 * 3 + 2 * 5);
  EXPECT_EQ(counted([&] { net.forward(X); }), products + N * 5);  // one tanh per hidden unit
  Matrix Y(2, N), dX;
  EXPECT_EQ(counted([&] { net.predict(X, Y); }), products + N * 5);
  net.forward(X);
  // dW1, dW2; db1, db2; W2^T dZ2; 3 operations per hidden unit for 1 - y^2 times dy.
  EXPECT_EQ(counted([&] { net.backward(dY); }), products + N * (5 + 2) + 2 * N * 2 * 5 + N * 5 * 3);
  EXPECT_EQ(counted([&] { net.backward_input(dY, dX); }), products + N * 5 * 3);
}

TEST(Mlp, ACopyIsIndependent) {
  Mlp<double> net = make<double>(kCases[2]);
  const Matrix X = reference::random<double>(2, 9, 5);
  const Matrix before = net.forward(X);
  Mlp<double> copy = net;
  copy.parameters()[0] += 1;
  EXPECT_NE(Matrix(copy.forward(X)), before);
  EXPECT_EQ(Matrix(net.forward(X)), before);
}

TEST(Mlp, RefusesWrongShapes) {
  EXPECT_THROW(MlpShape({3}), std::invalid_argument);
  EXPECT_THROW(MlpShape({3, 0}), std::invalid_argument);
  Mlp<double> net(MlpShape({3, 2}));
  EXPECT_THROW(net.forward(Matrix::Zero(4, 2)), std::invalid_argument);
  net.forward(Matrix::Zero(3, 2));
  EXPECT_THROW(net.backward(Matrix::Zero(2, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace vbo::nn

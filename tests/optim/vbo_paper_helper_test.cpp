// SPDX-License-Identifier: MIT
// The published method's helper: gradients, memory, what it learns.
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/finite_difference.hpp"
#include "optim/vbo_paper/vbo_paper.hpp"

namespace vbo {
namespace {

using HelperD = Helper<double>;

HelperD small_helper(bool recurrent, bool memory = true) {
  return {{.dimension = 2, .hidden = 5, .recurrent = recurrent, .memory = memory},
          {.learning_rate = 0.01},
          Rng(3, "helper")};
}

// Three rounds of four slots, three references each.
HelperWindow<double> random_window() {
  HelperWindow<double> w{{.steps = 3, .batch = 4, .references = 3}, {}, {}};
  w.U.resize(3, w.sequence.columns());
  Rng rng(5, "window");
  for (double& u : w.U.reshaped()) u = rng.normal();
  return w;
}

class HelperGradient : public ::testing::TestWithParam<std::tuple<bool, Estimator>> {};

TEST_P(HelperGradient, OfTheBoundByParametersAndInputs) {
  const auto [recurrent, estimator] = GetParam();
  HelperD helper = small_helper(recurrent);
  HelperWindow<double> w = random_window();
  MatrixOf<double> dU;
  helper.bound_gradient(w, estimator, &dU);
  const Vector analytic = helper.gradient(), theta = helper.parameter_vector();
  const auto by_parameters = [&](ConstVectorRef t) {
    helper.set_parameters(t);
    return helper.bound(w, estimator);
  };
  const auto parameters = compare_gradient(by_parameters, theta, analytic, {.relative_step = 1e-4});
  EXPECT_TRUE(parameters.matches) << parameters.text;
  helper.set_parameters(theta);
  const Vector at = w.U.reshaped();
  const auto by_inputs = [&](ConstVectorRef u) {
    w.U = u.reshaped(w.U.rows(), w.U.cols());
    return helper.bound(w, estimator);
  };
  const auto inputs = compare_gradient(by_inputs, at, Vector(dU.reshaped()));
  EXPECT_TRUE(inputs.matches) << inputs.text;
}

// The objective's path to the action-net: levels scored after a history, softmax, mean and
// information, back to x.
TEST_P(HelperGradient, OfScoredLevelsByTheInput) {
  HelperD helper = small_helper(std::get<0>(GetParam()));
  Rng rng(7, "inputs");
  const auto uniform = [&](Eigen::Index rows, Eigen::Index cols) {
    Matrix X(rows, cols);
    for (double& x : X.reshaped()) x = rng.uniform();
    return X;
  };
  const nn::LstmState<double> state = helper.remember(uniform(2, 12), uniform(12, 1), 4);
  const Vector levels = Vector::LinSpaced(6, -1.5, 1.5);
  DecompositionOf<double> said;
  const auto objective = [&](ConstVectorRef x) {
    Matrix logits;
    helper.score_levels(x.reshaped(2, 4), state, levels, logits);
    decompose_information<double>(logits, 1, levels, {0.7, 0.0}, WithGradient::yes, said);
    return said.objective;
  };
  const Vector at = uniform(8, 1);
  objective(at);
  Matrix dX;
  helper.score_levels_backward(said.gradient, dX);
  const auto found = compare_gradient(objective, at, Vector(dX.reshaped()));
  EXPECT_TRUE(found.matches) << found.text;
}

INSTANTIATE_TEST_SUITE_P(Helpers, HelperGradient,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Estimator::dv,
                                                              Estimator::self_normalized)));

// Scoring a level is one step of the cell from the true history: the same number that a window
// ending with that outcome gives. Two references and two slots make the window's scores readable:
// self-normalized with every reference equal to c is mean D - c's score.
TEST(Helper, RemembersWhatTheWindowSaw) {
  HelperD helper = small_helper(true);
  Rng rng(5, "window");
  Matrix X(2, 3);
  Vector y(3);
  for (double& x : X.reshaped()) x = rng.uniform();
  for (double& v : y) v = rng.normal();
  const double other = 0.3;
  // One slot, three rounds; only the last round's reference differs from the truth.
  HelperWindow<double> w{{.steps = 3, .batch = 1, .references = 1}, Matrix(3, 6), {}};
  for (Eigen::Index t = 0; t < 3; ++t) {
    const Vector x = (2.0 * X.col(t).array() - 1.0).matrix();
    w.U.col(2 * t) << x, y[t];
    w.U.col(2 * t + 1) << x, t == 2 ? other : y[t];
  }
  const auto state = helper.remember(X.leftCols(2), y.head(2), 1);
  Matrix logits;
  helper.score_levels(X.col(2), state, Vector{{y[2], other}}, logits);
  EXPECT_NEAR(helper.bound(w, Estimator::self_normalized), (logits(0) - logits(1)) / 3.0, 1e-12);
}

// What came before a window is heard as if the window had begun earlier: the bound over two windows
// is the mean of both.
TEST(Helper, AWindowContinuesWhatCameBefore) {
  HelperD helper = small_helper(true);
  HelperWindow<double> whole = random_window();  // one partition per input: means of windows add up
  const Eigen::Index first = whole.sequence.step_columns(), B = whole.sequence.batch;
  const HelperWindow<double> head{
      {.steps = 1, .batch = B, .references = 3}, whole.U.leftCols(first), {}};
  const HelperWindow<double> tail{
      {.steps = 2, .batch = B, .references = 3}, whole.U.rightCols(2 * first), whole.U.leftCols(B)};
  const auto bound = [&](const HelperWindow<double>& w) {
    return helper.bound(w, Estimator::self_normalized);
  };
  EXPECT_NEAR(bound(whole), (bound(head) + 2.0 * bound(tail)) / 3.0, 1e-12);
  const HelperWindow<double> forgetful{tail.sequence, tail.U, {}};
  EXPECT_GT(std::abs(bound(tail) - bound(forgetful)), 1e-6);
}

// It starts as a dense layer: the history is next to nothing, and can be learned to matter.
TEST(Helper, MemoryCanStartEmpty) {
  const auto difference = [](bool memory) {
    HelperD helper = small_helper(true, memory);
    const Vector levels = Vector::LinSpaced(4, -1.0, 1.0);
    const Matrix X = Matrix::Constant(2, 1, 0.3);
    Matrix after_one, after_other;
    helper.score_levels(X, helper.remember(Matrix::Constant(2, 2, 0.9), Vector{{2.0, 1.0}}, 1),
                        levels, after_one);
    helper.score_levels(X, helper.remember(Matrix::Constant(2, 2, 0.1), Vector{{-2.0, -1.0}}, 1),
                        levels, after_other);
    // What a history changes beyond a common shift, which a softmax over levels does not see.
    const auto centred = [](const Matrix& m) { return (m.array() - m.mean()).matrix().eval(); };
    return (centred(after_one) - centred(after_other)).norm() / centred(after_one).norm();
  };
  EXPECT_LT(difference(false), 0.2);
  EXPECT_GT(difference(true), 2.0 * difference(false));
}

// Outcomes that follow from inputs: the bounds rise, keep their order, and stay under the ceiling.
TEST(Helper, LearnsADependenceUpToTheCeiling) {
  const Eigen::Index B = 16, steps = 4;
  HelperD helper({.dimension = 1, .hidden = 16, .recurrent = true}, {.learning_rate = 0.01},
                 Rng(1, "helper"));
  HelperWindow<double> w{{.steps = steps, .batch = B, .references = B}, {}, {}};
  w.U.resize(2, w.sequence.columns());
  Rng rng(2, "data");
  for (Eigen::Index t = 0; t < steps; ++t) {
    Vector x(B);
    for (double& v : x) v = 2.0 * rng.uniform() - 1.0;
    for (Eigen::Index r = 0; r <= B; ++r) {
      for (Eigen::Index i = 0; i < B; ++i) {
        const Eigen::Index column = t * w.sequence.step_columns() + r * B + i;
        w.U.col(column) << x[i], 1.7 * x[r == 0 ? i : (i + r - 1) % B];
      }
    }
  }
  const double before = helper.bound(w, Estimator::dv);
  for (int step = 0; step < 300; ++step) {
    helper.bound_gradient(w, Estimator::dv);
    helper.ascend();
  }
  const double after = helper.bound(w, Estimator::dv);
  EXPECT_NEAR(before, 0.0, 0.05);
  EXPECT_GT(after, 0.8);
  EXPECT_LE(after, helper.bound(w, Estimator::self_normalized) + 1e-12);
  EXPECT_LE(helper.bound(w, Estimator::self_normalized), std::log(static_cast<double>(B)));
}

}  // namespace
}  // namespace vbo

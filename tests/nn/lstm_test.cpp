// SPDX-License-Identifier: MIT
#include "nn/lstm.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gradients.hpp"
#include "numerics/flops.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

using Options = ModifiedLstm<double>::BackwardOptions;

template <class T>
ModifiedLstm<T> make(const LstmShape& shape) {
  ModifiedLstm<T> lstm(shape);
  Rng rng(3, "lstm-test");
  init_lstm(lstm, rng);
  for (T& parameter : lstm.parameters()) parameter += static_cast<T>(0.1 * rng.normal());
  return lstm;
}

// The equations of one cell, by the standard library.
void plain_cell(ModifiedLstm<double>& lstm, const Vector& u, const Vector& h, const Vector& c,
                Vector& h_next, Vector& c_next) {
  const Index D = lstm.shape().inputs, H = lstm.shape().hidden;
  double* const theta = lstm.parameters().data();
  const Eigen::Map<Matrix> W(theta, 4 * H, D), U(theta + lstm.shape().U(), 4 * H, H);
  const Eigen::Map<Vector> b(theta + lstm.shape().b(), 4 * H);
  const Vector z = W * u + U * h + b;
  const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
  h_next.resize(H);
  c_next.resize(H);
  for (Index k = 0; k < H; ++k) {
    c_next[k] = s(z[k + H]) * c[k] + s(z[k]) * std::tanh(z[k + 2 * H]);
    h_next[k] = s(z[k + 3 * H]) * std::tanh(c_next[k]);
  }
}

// Worked out once from the equations of the header.
TEST(ModifiedLstm, GoldenValues) {
  ModifiedLstm<double> lstm({.inputs = 2, .hidden = 2});
  double* const theta = lstm.parameters().data();
  for (Index r = 0; r < 8; ++r) {
    for (Index j = 0; j < 2; ++j) {
      theta[r + 8 * j] = 0.1 * double(r + 1) - 0.05 * double(j);
      theta[lstm.shape().U() + r + 8 * j] = 0.02 * double(r - 3) + 0.03 * double(j);
    }
    theta[lstm.shape().b() + r] = 0.01 * double(r);
  }
  const Matrix X{{0.5, 0.5, 0.2, 0.2}, {-1.0, 0.7, 0.3, -0.4}};  // true, reference; twice
  const Matrix h = lstm.forward({.steps = 2, .batch = 1, .references = 1}, X);
  const Matrix want{
      {-0.034852315312342994, 0.19320303422541618, 0.05507505822428434, -0.029305717214190306},
      {-0.04150166323035469, 0.24336359507960698, 0.06912137979438576, -0.035798189462108054}};
  EXPECT_LT((h - want).cwiseAbs().maxCoeff(), 1e-15);
  LstmState<double> end;
  lstm.end_state(end);
  EXPECT_LT((end.c - Vector{{0.09265910299548863, 0.11378752297295616}}).norm(), 1e-15);
  EXPECT_EQ(end.h, h.col(2));
  lstm.forward({.steps = 1, .batch = 1, .references = 1}, X.leftCols(2));
  lstm.end_state(end);
  EXPECT_LT((end.c - Vector{{-0.07932425214874946, -0.09671417003519668}}).norm(), 1e-15);
}

TEST(ModifiedLstm, ForwardEqualsThePlainCell) {
  const LstmShape shape = {.inputs = 3, .hidden = 19};
  const SequenceShape sequence = {.steps = 4, .batch = 5, .references = 2};
  ModifiedLstm<double> lstm = make<double>(shape);
  const Matrix X = reference::random<double>(3, sequence.columns(), 1);
  const LstmState<double> start = {reference::random<double>(19, 5, 2, 0.5),
                                   reference::random<double>(19, 5, 3)};
  const Matrix H = lstm.forward(sequence, X, &start);
  for (Index j = 0; j < 5; ++j) {
    Vector h = start.h.col(j), c = start.c.col(j), h_next, c_next, unused;
    for (Index t = 0; t < 4; ++t) {
      for (Index r = 2; r >= 0; --r) {  // the true branch last: its state goes on
        const Index column = t * 15 + r * 5 + j;
        plain_cell(lstm, X.col(column), h, c, h_next, r == 0 ? c_next : unused);
        EXPECT_LT((H.col(column) - h_next).cwiseAbs().maxCoeff(), 1e-14);
      }
      h = h_next;
      c = c_next;
    }
  }
}

TEST(ModifiedLstm, GradientsOfParametersInputsAndStart) {
  const std::pair<LstmShape, SequenceShape> cases[] = {
      {{.inputs = 1, .hidden = 1}, {.steps = 1, .batch = 1, .references = 0}},
      {{.inputs = 2, .hidden = 3}, {.steps = 4, .batch = 1, .references = 1}},
      {{.inputs = 3, .hidden = 2}, {.steps = 3, .batch = 5, .references = 3}},
      {{.inputs = 2, .hidden = 17}, {.steps = 5, .batch = 2, .references = 0}},
  };
  for (const auto& [shape, sequence] : cases) {
    SCOPED_TRACE(::testing::Message() << "H " << shape.hidden << " T " << sequence.steps);
    ModifiedLstm<double> lstm = make<double>(shape);
    Matrix X = reference::random<double>(shape.inputs, sequence.columns(), 1);
    const Matrix C = reference::random<double>(shape.hidden, sequence.columns(), 4);
    LstmState<double> start = {reference::random<double>(shape.hidden, sequence.batch, 2, 0.5),
                               reference::random<double>(shape.hidden, sequence.batch, 3)};
    const auto loss = [&] { return lstm.forward(sequence, X, &start).cwiseProduct(C).sum(); };
    loss();
    Matrix dX;
    LstmState<double> dstart;
    lstm.backward(C, {}, &dX, &dstart);
    expect_gradient(loss, lstm.parameters(), lstm.gradient());
    expect_gradient(loss, flat(X), flat(dX));
    expect_gradient(loss, flat(start.h), flat(dstart.h));
    expect_gradient(loss, flat(start.c), flat(dstart.c));
  }
}

TEST(ModifiedLstm, TruncationEqualsChunksThatCarryTheState) {
  const LstmShape shape = {.inputs = 2, .hidden = 4};
  const SequenceShape whole = {.steps = 7, .batch = 3, .references = 1};
  ModifiedLstm<double> lstm = make<double>(shape);
  const Matrix X = reference::random<double>(2, whole.columns(), 1);
  const Matrix C = reference::random<double>(4, whole.columns(), 2);
  lstm.forward(whole, X);
  Matrix dX;
  lstm.backward(C, {.truncate = 3}, &dX);
  const Vector truncated = Eigen::Map<Vector>(lstm.gradient().data(), shape.parameters());

  LstmState<double> state = {Matrix::Zero(4, 3), Matrix::Zero(4, 3)};
  Vector sum = Vector::Zero(shape.parameters());
  for (const auto& [from, steps] : {std::pair<Index, Index>{0, 3}, {3, 3}, {6, 1}}) {
    const SequenceShape chunk = {.steps = steps, .batch = 3, .references = 1};
    lstm.forward(chunk, X.middleCols(from * 6, steps * 6), &state);
    Matrix part;
    lstm.backward(C.middleCols(from * 6, steps * 6), {}, &part);
    sum += Eigen::Map<Vector>(lstm.gradient().data(), shape.parameters());
    EXPECT_LT((part - dX.middleCols(from * 6, steps * 6)).cwiseAbs().maxCoeff(), 1e-14);
    lstm.end_state(state);
  }
  EXPECT_LT((sum - truncated).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(ModifiedLstm, PartsOfBackwardCanBeLeftOut) {
  const LstmShape shape = {.inputs = 2, .hidden = 4};
  const SequenceShape sequence = {.steps = 3, .batch = 2, .references = 1};
  ModifiedLstm<double> lstm = make<double>(shape);
  const Matrix X = reference::random<double>(2, sequence.columns(), 1);
  const Matrix C = reference::random<double>(4, sequence.columns(), 2);
  lstm.forward(sequence, X);
  Matrix dX, alone;
  lstm.backward(C, {}, &dX);
  const Vector gradient = Eigen::Map<Vector>(lstm.gradient().data(), shape.parameters());
  lstm.backward(C, {.parameters = false}, &alone);
  EXPECT_EQ(alone, dX);
  EXPECT_EQ(Vector(Eigen::Map<Vector>(lstm.gradient().data(), shape.parameters())), gradient);
  lstm.backward(C, {.add = true});
  EXPECT_LT((Eigen::Map<Vector>(lstm.gradient().data(), shape.parameters()) - 2 * gradient).norm(),
            1e-12);
}

TEST(ModifiedLstm, FloatEqualsDouble) {
  const LstmShape shape = {.inputs = 5, .hidden = 32};
  const SequenceShape sequence = {.steps = 6, .batch = 8, .references = 1};
  ModifiedLstm<double> exact = make<double>(shape);
  ModifiedLstm<float> lstm = make<float>(shape);
  std::copy(exact.parameters().begin(), exact.parameters().end(), lstm.parameters().begin());
  const Matrix X = reference::random<double>(5, sequence.columns(), 1);
  const Matrix C = reference::random<double>(32, sequence.columns(), 2);
  const Matrix want = exact.forward(sequence, X);
  const MatrixOf<float> Xf = X.cast<float>(), Cf = C.cast<float>();
  EXPECT_LT((lstm.forward(sequence, Xf).cast<double>() - want).cwiseAbs().maxCoeff(), 1e-5);
  exact.backward(C, {});
  lstm.backward(Cf, {});
  for (std::size_t i = 0; i < lstm.gradient().size(); ++i) {
    EXPECT_NEAR(lstm.gradient()[i], exact.gradient()[i], 2e-4);
  }
}

TEST(ModifiedLstm, CountsWhatItExecutes) {
  const std::uint64_t D = 3, H = 5, B = 4, R = 2, T = 6, columns = B * (1 + R);
  ModifiedLstm<double> lstm = make<double>({.inputs = 3, .hidden = 5});
  const SequenceShape sequence = {.steps = 6, .batch = 4, .references = 2};
  const Matrix X = reference::random<double>(3, sequence.columns(), 1);
  const Matrix C = reference::random<double>(5, sequence.columns(), 2);
  const flops::Scope forward;
  lstm.forward(sequence, X);
  // W u for every branch, U h once per step; 19 operations per unit of every cell.
  EXPECT_EQ(forward.count(), T * (8 * H * D * columns + 8 * H * H * B + 19 * H * columns));
  const flops::Scope backward;
  lstm.backward(C, {});
  // dW; dU; db; U^T dz, not needed at t = 0; 27 per unit of every cell, and the true branch's sum.
  EXPECT_EQ(backward.count(),
            T * (8 * H * D * columns + 8 * H * H * B + 4 * H * B + 27 * H * columns + H * B) +
                (T - 1) * 8 * H * H * B);
}

TEST(ModifiedLstm, RefusesWrongShapes) {
  ModifiedLstm<double> lstm({.inputs = 2, .hidden = 3});
  EXPECT_THROW(lstm.forward({.steps = 2, .batch = 2}, Matrix::Zero(2, 5)), std::invalid_argument);
  const LstmState<double> wrong = {Matrix::Zero(3, 1), Matrix::Zero(3, 1)};
  EXPECT_THROW(lstm.forward({.steps = 2, .batch = 2}, Matrix::Zero(2, 4), &wrong),
               std::invalid_argument);
  lstm.forward({.steps = 2, .batch = 2}, Matrix::Zero(2, 4));
  EXPECT_THROW(lstm.backward(Matrix::Zero(2, 4), Options{}), std::invalid_argument);
}

}  // namespace
}  // namespace vbo::nn

// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/helper.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/init.hpp"

namespace vbo {
namespace {

using nn::Index;

constexpr double kLongestGradient = 1.0;  // one wild batch must not undo the others
constexpr double kLargestWeight = 1e6;    // of a stored state; products stay finite
constexpr double kOpen = 3.0;             // a gate of this bias lets 0.95 through
constexpr Index kStride = 64;             // steps whose gates are kept at once, of a long history

template <class T>
nn::MlpShape head_shape(const typename Helper<T>::Shape& shape) {
  const auto H = static_cast<int>(shape.hidden);
  const auto D = static_cast<int>(shape.dimension);
  return shape.recurrent ? nn::MlpShape({H, H, 1}, nn::Activation::elu)
                         : nn::MlpShape({D + 1, H, H, 1}, nn::Activation::elu);
}

// Scores (1, columns) split into true pairs (steps B) and references (steps B, R).
template <class T>
void split_scores(const nn::SequenceShape& s, nn::ConstMap<T> scores, VectorOf<T>& joint,
                  MatrixOf<T>& references) {
  joint.resize(s.steps * s.batch);
  references.resize(s.steps * s.batch, s.references);
  for (Index t = 0; t < s.steps; ++t) {
    const auto step = scores.row(0).segment(t * s.step_columns(), s.step_columns());
    joint.segment(t * s.batch, s.batch) = step.head(s.batch).transpose();
    for (Index r = 0; r < s.references; ++r) {
      references.col(r).segment(t * s.batch, s.batch) =
          step.segment((1 + r) * s.batch, s.batch).transpose();
    }
  }
}

// Its adjoint: scatters both gradients back to (1, columns).
template <class T>
MatrixOf<T> join_scores(const nn::SequenceShape& s, const VectorOf<T>& joint,
                        const MatrixOf<T>& references) {
  MatrixOf<T> scores(1, s.columns());
  for (Index t = 0; t < s.steps; ++t) {
    auto step = scores.row(0).segment(t * s.step_columns(), s.step_columns());
    step.head(s.batch) = joint.segment(t * s.batch, s.batch).transpose();
    for (Index r = 0; r < s.references; ++r) {
      step.segment((1 + r) * s.batch, s.batch) =
          references.col(r).segment(t * s.batch, s.batch).transpose();
    }
  }
  return scores;
}

// The cell as a dense layer, nearly: input and output gates open, the forget gate closed for every
// input. Every other row takes the outcome at unit strength, whatever the number of inputs.
template <class T>
void init_without_memory(nn::ModifiedLstm<T>& cell, Rng& rng) {
  const nn::LstmShape& shape = cell.shape();
  const Index H = shape.hidden, I = shape.inputs;
  T* theta = cell.parameters().data();
  Eigen::Map<MatrixOf<T>> W(theta + shape.W(), 4 * H, I);
  const double width = std::sqrt(3.0 / static_cast<double>(std::max<Index>(1, I - 1)));
  for (T& w : W.leftCols(I - 1).reshaped()) w = static_cast<T>(rng.uniform(-width, width));
  for (T& w : W.rightCols(1).reshaped()) w = static_cast<T>(rng.uniform(-1.0, 1.0));
  W.middleRows(H, H).setZero();
  std::fill_n(theta + shape.U(), 4 * H * H, T(0));
  Eigen::Map<VectorOf<T>> b(theta + shape.b(), 4 * H);
  b.segment(0, H).setConstant(T(kOpen));
  b.segment(H, H).setConstant(T(-kOpen));
  for (T& v : b.segment(2 * H, H)) v = static_cast<T>(rng.uniform(-1.0, 1.0));
  b.segment(3 * H, H).setConstant(T(kOpen));
}

template <class T>
void write_moments(const nn::Adam<T>& adam, StateWriter& out) {
  const auto span_of = [](const VectorOf<T>& v) {
    return std::span<const T>(v.data(), static_cast<std::size_t>(v.size()));
  };
  out.put<std::int64_t>(adam.steps());
  out.put_array(span_of(adam.mean())).put_array(span_of(adam.second_moment()));
}

template <class T>
void read_moments(nn::Adam<T>& adam, StateReader& in) {
  const std::int64_t steps = in.get_count();
  std::vector<T> m(static_cast<std::size_t>(adam.mean().size())), v(m.size());
  in.get_array(std::span<T>(m), -StateReader::kInfinity, StateReader::kInfinity);
  in.get_array(std::span<T>(v), 0.0, StateReader::kInfinity);
  if (!nn::are_moments(std::span<const T>(m), std::span<const T>(v))) in.fail();
  if (in.ok()) adam.restore(adam.options(), steps, m, v, {});
}

}  // namespace

template <class T>
Helper<T>::Helper(Shape shape, const nn::AdamOptions& adam, Rng rng)
    : shape_(shape),
      cell_(shape.recurrent ? nn::LstmShape{shape.dimension + 1, shape.hidden}
                            : nn::LstmShape{1, 1}),
      head_(head_shape<T>(shape)),
      cell_adam_(cell_.shape().parameters(), adam),
      head_adam_(head_.shape().parameters(), adam) {
  if (shape.memory) {
    nn::init_lstm(cell_, rng);
  } else {
    init_without_memory(cell_, rng);
  }
  nn::init_uniform_fan_in(head_.shape(), head_.parameters(), rng);
}

template <class T>
nn::ConstMap<T> Helper<T>::forward(const nn::SequenceShape& sequence, nn::InputRef<T> U,
                                   const nn::LstmState<T>* start) {
  if (!shape_.recurrent) return head_.forward(U);
  return head_.forward(cell_.forward(sequence, U, start));
}

template <class T>
void Helper<T>::backward(nn::InputRef<T> dscores, bool with_parameters, MatrixOf<T>* dU) {
  MatrixOf<T>& dinput = shape_.recurrent || !dU ? dH_ : *dU;
  if (with_parameters) {
    head_.backward(dscores, dinput);
  } else {
    head_.backward_input(dscores, dinput);
  }
  if (shape_.recurrent) cell_.backward(dH_, {.parameters = with_parameters}, dU);
}

template <class T>
void Helper<T>::advance(nn::InputRef<T> U, Index sequences, nn::LstmState<T>& state) {
  for (Index steps = U.cols() / sequences, t = 0; t < steps; t += kStride) {
    const Index stride = std::min(kStride, steps - t);
    cell_.forward({.steps = stride, .batch = sequences},
                  U.middleCols(t * sequences, stride * sequences),
                  state.h.size() ? &state : nullptr);
    cell_.end_state(state);
  }
}

template <class T>
nn::ConstMap<T> Helper<T>::scores_of(const HelperWindow<T>& window) {
  nn::LstmState<T> start;
  if (shape_.recurrent) advance(window.before, window.sequence.batch, start);
  return forward(window.sequence, window.U, start.h.size() ? &start : nullptr);
}

template <class T>
double Helper<T>::bound(const HelperWindow<T>& window, Estimator estimator) {
  VectorOf<T> joint;
  MatrixOf<T> references;
  split_scores<T>(window.sequence, scores_of(window), joint, references);
  return ScoreEstimator<T>(estimator).evaluate(joint, references).nats;
}

template <class T>
double Helper<T>::bound_gradient(const HelperWindow<T>& window, Estimator estimator,
                                 MatrixOf<T>* dU) {
  VectorOf<T> joint, djoint;
  MatrixOf<T> references, dreferences;
  split_scores<T>(window.sequence, scores_of(window), joint, references);
  const double nats =
      ScoreEstimator<T>(estimator).evaluate(joint, references, &djoint, &dreferences).nats;
  backward(join_scores<T>(window.sequence, djoint, dreferences), /*with_parameters=*/true, dU);
  return nats;
}

template <class T>
void Helper<T>::ascend() {
  for (T& g : head_.gradient()) g = -g;
  nn::clip_norm(head_.gradient(), kLongestGradient);
  head_adam_.step(head_.parameters(), head_.gradient());
  if (!shape_.recurrent) return;
  for (T& g : cell_.gradient()) g = -g;
  nn::clip_norm(cell_.gradient(), kLongestGradient);
  cell_adam_.step(cell_.parameters(), cell_.gradient());
}

template <class T>
nn::LstmState<T> Helper<T>::remember(nn::InputRef<T> X, const VectorOf<T>& y, Index slots) {
  nn::LstmState<T> state;
  if (!shape_.recurrent) return state;
  MatrixOf<T> U(shape_.dimension + 1, X.cols());
  U.topRows(shape_.dimension) = X;
  U.bottomRows(1) = y.transpose();
  advance(U, slots, state);
  return state;
}

template <class T>
void Helper<T>::score_levels(nn::InputRef<T> X, const nn::LstmState<T>& state,
                             const VectorOf<T>& levels, MatrixOf<T>& logits) {
  const Index N = X.cols(), M = levels.size();
  levels_.resize(shape_.dimension + 1, M * N);  // level j of input i in column j N + i
  for (Index j = 0; j < M; ++j) {
    auto block = levels_.middleCols(j * N, N);
    block.topRows(shape_.dimension) = X;
    block.bottomRows(1).setConstant(levels[j]);
  }
  const nn::SequenceShape one_step{.steps = 1, .batch = N, .references = M - 1};
  const auto scores = forward(one_step, levels_, shape_.recurrent ? &state : nullptr);
  logits = Eigen::Map<const MatrixOf<T>>(scores.data(), N, M).transpose();
}

template <class T>
void Helper<T>::score_levels_backward(nn::InputRef<T> dlogits, MatrixOf<T>& dX) {
  const Index N = dlogits.cols(), M = dlogits.rows();
  MatrixOf<T> dscores(1, M * N), dU;
  Eigen::Map<MatrixOf<T>>(dscores.data(), N, M) = dlogits.transpose();
  backward(dscores, /*with_parameters=*/false, &dU);
  dX.setZero(shape_.dimension, N);
  for (Index j = 0; j < M; ++j) {
    dX += dU.topRows(shape_.dimension).middleCols(j * N, N);
  }
}

template <class T>
VectorOf<T> Helper<T>::parameter_vector() const {
  VectorOf<T> theta(parameters());
  auto at = std::copy(cell_.parameters().begin(), cell_.parameters().end(), theta.begin());
  std::copy(head_.parameters().begin(), head_.parameters().end(), at);
  return theta;
}

template <class T>
void Helper<T>::set_parameters(const VectorOf<T>& theta) {
  assert(theta.size() == parameters());
  const auto cells = cell_.shape().parameters();
  std::copy_n(theta.data(), cells, cell_.parameters().begin());
  std::copy_n(theta.data() + cells, theta.size() - cells, head_.parameters().begin());
}

template <class T>
VectorOf<T> Helper<T>::gradient() {
  VectorOf<T> g(parameters());
  auto at = std::copy(cell_.gradient().begin(), cell_.gradient().end(), g.begin());
  std::copy(head_.gradient().begin(), head_.gradient().end(), at);
  return g;
}

template <class T>
void Helper<T>::write(StateWriter& out) const {
  out.put_array(cell_.parameters()).put_array(head_.parameters());
  write_moments(cell_adam_, out);
  write_moments(head_adam_, out);
}

template <class T>
void Helper<T>::read(StateReader& in) {
  in.get_array(cell_.parameters(), -kLargestWeight, kLargestWeight);
  in.get_array(head_.parameters(), -kLargestWeight, kLargestWeight);
  read_moments(cell_adam_, in);
  read_moments(head_adam_, in);
}

template class Helper<float>;
template class Helper<double>;

}  // namespace vbo

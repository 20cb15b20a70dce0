// SPDX-License-Identifier: MIT
#include "nn/lstm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/init.hpp"
#include "nn/shapes.hpp"
#include "nn/vector_math.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {
namespace {

// Per hidden unit and column. Forward: U h to four gates 4, three logistics 9, two tanh 2,
// c = f c + i g 3, h 1. Backward: see cell_backward().
constexpr std::uint64_t kForwardFlops = 19, kBackwardFlops = 27;

// One column: z (4H) holds W u + b and becomes the gates; leaves tanh c and h. `c` may be nullptr.
template <class T>
void cell_forward(Index H, const T* __restrict recurrent, const T* __restrict c_before,
                  T* __restrict z, T* __restrict tanh_c, T* __restrict h, T* __restrict c) {
  using V = simd::Vec<T>;
  for (Index k = 0; k < 4 * H; ++k) z[k] += recurrent[k];
  const auto logistic = [](V x) -> V { return simd::logistic<T>(x); };
  const auto tanh = [](V x) -> V { return simd::tanh(x); };
  simd::transform(2 * H, z, z, logistic);
  simd::transform(H, z + 2 * H, z + 2 * H, tanh);
  simd::transform(H, z + 3 * H, z + 3 * H, logistic);
  const T *i = z, *f = z + H, *g = z + 2 * H, *o = z + 3 * H;
  for (Index k = 0; k < H; ++k) tanh_c[k] = f[k] * c_before[k] + i[k] * g[k];
  if (c) std::copy_n(tanh_c, H, c);
  simd::transform(H, tanh_c, tanh_c, tanh);
  for (Index k = 0; k < H; ++k) h[k] = o[k] * tanh_c[k];
}

// One column of one branch: dh (H) = dL/dh, and dc_next (H) = what the next step sends to c, zero
// for references. Writes dz (4H), adds it to dz_sum (4H), and adds dL/dc_{t-1} to dc_before (H).
template <class T>
void cell_backward(Index H, const T* __restrict gates, const T* __restrict tanh_c,
                   const T* __restrict c_before, const T* __restrict dh,
                   const T* __restrict dc_next, T* __restrict dz, T* __restrict dz_sum,
                   T* __restrict dc_before) {
  const T *i = gates, *f = gates + H, *g = gates + 2 * H, *o = gates + 3 * H;
  for (Index k = 0; k < H; ++k) {
    const T dc = dc_next[k] + dh[k] * o[k] * (T(1) - tanh_c[k] * tanh_c[k]);
    dz[k] = dc * g[k] * i[k] * (T(1) - i[k]);
    dz[k + H] = dc * c_before[k] * f[k] * (T(1) - f[k]);
    dz[k + 2 * H] = dc * i[k] * (T(1) - g[k] * g[k]);
    dz[k + 3 * H] = dh[k] * tanh_c[k] * o[k] * (T(1) - o[k]);
    dc_before[k] += dc * f[k];
  }
  for (Index k = 0; k < 4 * H; ++k) dz_sum[k] += dz[k];
}

}  // namespace

template <class T>
ModifiedLstm<T>::ModifiedLstm(LstmShape shape)
    : shape_(shape),
      theta_(VectorOf<T>::Zero(shape.parameters())),
      grad_(VectorOf<T>::Zero(shape.parameters())) {}

template <class T>
void ModifiedLstm<T>::prepare(const SequenceShape& sequence) {
  const Index D = shape_.inputs, H = shape_.hidden, B = sequence.batch;
  const Index columns = sequence.columns(), state = H * B;
  const std::pair<T**, Index> parts[] = {
      {&x_, D * columns},
      {&gates_, 4 * H * columns},
      {&tanh_c_, H * columns},
      {&h_, H * columns},
      {&h_start_, state},
      {&c_, state * (sequence.steps + 1)},
      {&recurrent_, 4 * state},
      {&dz_, 4 * H * sequence.step_columns()},
      {&dz_sum_, 4 * state},
      {&dh_, state},
      {&dc_, state},
      {&dc_before_, state},
      {&zeros_, H},
      {&Ut_, 4 * H * H},
      {&Wt_, 4 * H * D},
  };
  const auto padded = [](Index count) { return (count + 15) / 16 * 16; };  // whole cache lines
  Index total = 0;
  for (const auto& [pointer, count] : parts) total += padded(count);
  T* next = memory_.reserve(total);
  for (const auto& [pointer, count] : parts) *pointer = std::exchange(next, next + padded(count));
  sequence_ = sequence;
}

template <class T>
const T* ModifiedLstm<T>::h_before(Index t) const {
  return t == 0 ? h_start_ : h_ + (t - 1) * sequence_.step_columns() * shape_.hidden;
}

template <class T>
ConstMap<T> ModifiedLstm<T>::forward(const SequenceShape& sequence, InputRef<T> X,
                                     const LstmState<T>* start) {
  const Index H = shape_.hidden, B = sequence.batch;
  expect_shape("lstm: X", X.rows(), X.cols(), shape_.inputs, sequence.columns());
  if (start) {
    expect_shape("lstm: h", start->h.rows(), start->h.cols(), H, B);
    expect_shape("lstm: c", start->c.rows(), start->c.cols(), H, B);
  }
  prepare(sequence);
  Eigen::Map<MatrixOf<T>>(x_, X.rows(), X.cols()) = X;
  if (start) {
    std::copy_n(start->h.data(), H * B, h_start_);
    std::copy_n(start->c.data(), H * B, c_);
  } else {
    std::fill_n(h_start_, H * B, T(0));
    std::fill_n(c_, H * B, T(0));
  }
  for (Index t = 0; t < sequence.steps; ++t) step_forward(t);
  return {h_, H, sequence.columns()};
}

// The gates of all branches of one step in one product, W [u_t, references] + b 1^T, while
// U h_{t-1} is computed once and shared.
template <class T>
void ModifiedLstm<T>::step_forward(Index t) {
  const Index D = shape_.inputs, H = shape_.hidden, B = sequence_.batch;
  const Index columns = sequence_.step_columns(), first = t * columns;
  const T* const theta = theta_.data();
  T* const z = gates_ + 4 * H * first;
  gemm_bias<T>(4 * H, columns, D, {theta + shape_.W(), 4 * H}, {x_ + D * first, D},
               theta + shape_.b(), {z, 4 * H});
  gemm<T>(4 * H, B, H, {theta + shape_.U(), 4 * H}, {h_before(t), H}, {recurrent_, 4 * H});
  flops::add(kForwardFlops * static_cast<std::uint64_t>(H * columns));
  const T* const c_before = c_ + t * H * B;
  T* const c_after = c_ + (t + 1) * H * B;
  for (Index column = 0; column < columns; ++column) {
    const Index j = column % B, at = first + column;
    cell_forward<T>(H, recurrent_ + 4 * H * j, c_before + H * j, z + 4 * H * column,
                    tanh_c_ + H * at, h_ + H * at, column < B ? c_after + H * j : nullptr);
  }
}

template <class T>
void ModifiedLstm<T>::end_state(LstmState<T>& state) const {
  const Index H = shape_.hidden, B = sequence_.batch, steps = sequence_.steps;
  state.h = ConstMap<T>(h_before(steps), H, B);
  state.c = ConstMap<T>(c_ + steps * H * B, H, B);
}

template <class T>
void ModifiedLstm<T>::backward(InputRef<T> dH, const BackwardOptions& options, MatrixOf<T>* dX,
                               LstmState<T>* dstart) {
  const Index D = shape_.inputs, H = shape_.hidden, B = sequence_.batch;
  const Index columns = sequence_.step_columns();
  expect_shape("lstm: dH", dH.rows(), dH.cols(), H, sequence_.columns());
  if (options.parameters && !options.add) grad_.setZero();
  if (dX) {
    dX->resize(D, sequence_.columns());
    transpose<T>(4 * H, D, {theta_.data() + shape_.W(), 4 * H}, Wt_);
  }
  transpose<T>(4 * H, H, {theta_.data() + shape_.U(), 4 * H}, Ut_);
  std::fill_n(dh_, H * B, T(0));
  std::fill_n(dc_, H * B, T(0));
  std::fill_n(zeros_, H, T(0));

  for (Index t = sequence_.steps - 1; t >= 0; --t) {
    cells_backward(t, dH);
    if (options.parameters) add_parameter_gradient(t);
    if (dX) {  // du = W^T dz
      gemm<T>(D, columns, 4 * H, {Wt_, D}, {dz_, 4 * H}, {dX->data() + D * t * columns, D});
    }
    const bool cut = options.truncate > 0 && t % options.truncate == 0 && t > 0;
    if (cut) {
      std::fill_n(dh_, H * B, T(0));
      std::fill_n(dc_, H * B, T(0));
    } else if (t > 0 || dstart) {  // dh_{t-1} = U^T (sum over branches of dz)
      gemm<T>(H, B, 4 * H, {Ut_, H}, {dz_sum_, 4 * H}, {dh_, H});
    }
  }
  if (dstart) {
    dstart->h = ConstMap<T>(dh_, H, B);
    dstart->c = ConstMap<T>(dc_, H, B);
  }
}

// From dL/dh of step t and what step t+1 left in dh_, dc_: dz_ and dz_sum_, and dL/dc_{t-1} in dc_.
template <class T>
void ModifiedLstm<T>::cells_backward(Index t, InputRef<T> dH) {
  const Index H = shape_.hidden, B = sequence_.batch;
  const Index columns = sequence_.step_columns(), first = t * columns;
  flops::add(
      (kBackwardFlops * static_cast<std::uint64_t>(columns) + static_cast<std::uint64_t>(B)) *
      static_cast<std::uint64_t>(H));
  std::fill_n(dz_sum_, 4 * H * B, T(0));
  std::fill_n(dc_before_, H * B, T(0));
  for (Index j = 0; j < B; ++j) {  // only the true branch has a gradient from later steps
    const T* const dh = dH.data() + (first + j) * dH.outerStride();
    for (Index k = 0; k < H; ++k) dh_[k + H * j] += dh[k];
  }
  for (Index column = 0; column < columns; ++column) {
    const Index j = column % B, at = first + column;
    const bool truth = column < B;
    cell_backward<T>(H, gates_ + 4 * H * at, tanh_c_ + H * at, c_ + (t * B + j) * H,
                     truth ? dh_ + H * j : dH.data() + at * dH.outerStride(),
                     truth ? dc_ + H * j : zeros_, dz_ + 4 * H * column, dz_sum_ + 4 * H * j,
                     dc_before_ + H * j);
  }
  std::swap(dc_, dc_before_);
}

// dW += dZ [u_t, references]^T, dU += (sum over branches of dZ) h_{t-1}^T, db += dZ 1.
template <class T>
void ModifiedLstm<T>::add_parameter_gradient(Index t) {
  const Index D = shape_.inputs, H = shape_.hidden, B = sequence_.batch;
  const Index columns = sequence_.step_columns();
  T* const g = grad_.data();
  gemm_nt<T>(4 * H, D, columns, {dz_, 4 * H}, {x_ + D * t * columns, D}, {g + shape_.W(), 4 * H},
             true);
  gemm_nt<T>(4 * H, H, B, {dz_sum_, 4 * H}, {h_before(t), H}, {g + shape_.U(), 4 * H}, true);
  sum_columns<T>(4 * H, B, {dz_sum_, 4 * H}, g + shape_.b(), true);
}

template <class T>
void init_lstm(ModifiedLstm<T>& lstm, Rng& rng) {
  const LstmShape& shape = lstm.shape();
  const Index D = shape.inputs, H = shape.hidden;
  const auto part = [&](Index from, Index to) {
    return lstm.parameters().subspan(static_cast<std::size_t>(from),
                                     static_cast<std::size_t>(to - from));
  };
  fill_uniform(part(shape.W(), shape.U()), std::sqrt(6.0 / static_cast<double>(D + 4 * H)), rng);
  fill_orthogonal(part(shape.U(), shape.b()), 4 * H, H, 1.0, rng);
  const std::span<T> b = part(shape.b(), shape.parameters());
  std::fill(b.begin(), b.end(), T(0));
}

template class ModifiedLstm<float>;
template class ModifiedLstm<double>;
template void init_lstm(ModifiedLstm<float>&, Rng&);
template void init_lstm(ModifiedLstm<double>&, Rng&);

}  // namespace vbo::nn

// SPDX-License-Identifier: MIT
// The modified LSTM of the directed-information estimator DINE (Tsur, Aharoni, Goldfeld, Permuter
// 2022): at each step the true input advances the state, and R reference inputs are each pushed
// through one cell step from the same true history; their states are used once and not propagated.
//
//   [z_i; z_f; z_g; z_o] = W u_t + U h_{t-1} + b         u_t the true or a reference input
//   i = s(z_i), f = s(z_f), g = tanh(z_g), o = s(z_o)    s the logistic function
//   c_t = f c_{t-1} + i g,  h_t = o tanh(c_t)            (h_{t-1}, c_{t-1}) of the true branch
//
// D inputs, H hidden units, B sequences, T steps. All inputs of a pass lie in one matrix, and all
// outputs in another, column
//   t (1+R) B + r B + j        step t, branch r (0 = true, 1..R = references), sequence j,
// so that a dense head reads every branch of every step as one batch. No allocation once the
// largest pass was seen. One object belongs to one thread at a time.
#pragma once

#include <span>

#include "nn/buffer.hpp"
#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo::nn {

// Flat parameters: W (4H,D), U (4H,H), b (4H); gates in the order i, f, g, o.
struct LstmShape {
  Index inputs = 1, hidden = 1;
  Index W() const { return 0; }
  Index U() const { return 4 * hidden * inputs; }
  Index b() const { return U() + 4 * hidden * hidden; }
  Index parameters() const { return b() + 4 * hidden; }
};

struct SequenceShape {
  Index steps = 1, batch = 1, references = 0;
  Index step_columns() const { return (1 + references) * batch; }
  Index columns() const { return steps * step_columns(); }
};

template <class T>
struct LstmState {
  MatrixOf<T> h, c;  // (H,B)
};

template <class T>
class ModifiedLstm {
 public:
  ModifiedLstm() = default;
  explicit ModifiedLstm(LstmShape shape);  // all parameters zero

  const LstmShape& shape() const { return shape_; }
  std::span<T> parameters() { return {theta_.data(), static_cast<std::size_t>(theta_.size())}; }
  std::span<const T> parameters() const {
    return {theta_.data(), static_cast<std::size_t>(theta_.size())};
  }
  std::span<T> gradient() { return {grad_.data(), static_cast<std::size_t>(grad_.size())}; }

  // X (D, columns) -> outputs h of all branches (H, columns), valid until the next forward().
  // `start` is the state before the first step; nullptr = zero.
  ConstMap<T> forward(const SequenceShape& sequence, InputRef<T> X,
                      const LstmState<T>* start = nullptr);
  // The true branch's state after the last step of the last forward(), copied.
  void end_state(LstmState<T>& state) const;

  struct BackwardOptions {
    Index truncate = 0;  // no gradient flows into the past across t = truncate, 2 truncate, ...;
                         // 0 = full back-propagation through time
    bool parameters = true;  // fill gradient()
    bool add = false;        // ... adding to what it holds
  };
  // Given dL/dh of all branches (H, columns): dL/dparameters into gradient(), dL/dX (D, columns)
  // into *dX, dL/d(start) into *dstart, each where asked for.
  void backward(InputRef<T> dH, const BackwardOptions& options, MatrixOf<T>* dX = nullptr,
                LstmState<T>* dstart = nullptr);

 private:
  void prepare(const SequenceShape& sequence);
  const T* h_before(Index t) const;  // true h_{t-1} (H,B)
  void step_forward(Index t);
  void cells_backward(Index t, InputRef<T> dH);
  void add_parameter_gradient(Index t);

  LstmShape shape_;
  SequenceShape sequence_;
  VectorOf<T> theta_, grad_;
  Buffer<T> memory_;
  // Kept for backward: inputs (D), gates (4H), tanh c (H), h (H) per column; true c (H) per step
  // and sequence, after the start state.
  T *x_ = nullptr, *gates_ = nullptr, *tanh_c_ = nullptr, *h_ = nullptr;
  T *h_start_ = nullptr, *c_ = nullptr;
  // One step's scratch: U h (4H,B); dZ (4H, step_columns); its sum over branches (4H,B); dL/dh,
  // dL/dc, and dL/dc one step earlier (H,B); a column of zeros; U^T (H,4H) and W^T (D,4H).
  T *recurrent_ = nullptr, *dz_ = nullptr, *dz_sum_ = nullptr;
  T *dh_ = nullptr, *dc_ = nullptr, *dc_before_ = nullptr, *zeros_ = nullptr;
  T *Ut_ = nullptr, *Wt_ = nullptr;
};

// W Glorot uniform, U orthogonal, b = 0, as in DINE.
template <class T>
void init_lstm(ModifiedLstm<T>& lstm, Rng& rng);

}  // namespace vbo::nn

// SPDX-License-Identifier: MIT
// The helper of VBO-MI: a critic D(x, y | history) that scores an outcome y of an input x after
// what one slot of the batch has seen so far. A modified LSTM reads u = (x, y); two dense
// layers turn its output into a score. Without memory (helper = mlp) a dense layer takes the place
// of the cell. Columns are laid out as in nn/lstm.hpp: step, branch, sequence.
// One object belongs to one thread at a time.
#pragma once

#include "information/estimators.hpp"
#include "nn/adam.hpp"
#include "nn/lstm.hpp"
#include "optim/state_bytes.hpp"
#include "vbo/random.hpp"

namespace vbo {

// B sequences as input of the helper, true branch first, then R references: the same x with other
// outcomes.
template <class T>
struct HelperWindow {
  nn::SequenceShape sequence;
  MatrixOf<T> U;       // (D+1, columns)
  MatrixOf<T> before;  // (D+1, steps B) earlier inputs of the same sequences; may be empty
};

template <class T>
class Helper {
 public:
  struct Shape {
    nn::Index dimension = 1;  // D, of an input as the helper sees it
    nn::Index hidden = 64;    // H
    bool recurrent = true;
    bool memory =
        true;  // at the start; else the cell starts as a dense layer and learns to remember
  };
  Helper(Shape shape, const nn::AdamOptions& adam, Rng rng);

  // The bound on a window, in nats: joint pairs are the true branch, product pairs the references,
  //   dv               mean_n D_n - log mean_{n,r} e^{D_nr}
  //   self_normalized  mean_n [ D_n - log mean_r e^{D_nr} ]            n over steps and slots.
  double bound(const HelperWindow<T>& window, Estimator estimator);
  // The same, and its gradient: by the parameters into gradient(), by U (D+1, columns) into *dU. It
  // goes back through the window; the state before it counts as given.
  double bound_gradient(const HelperWindow<T>& window, Estimator estimator,
                        MatrixOf<T>* dU = nullptr);
  // One Adam step up the bound of the last bound_gradient().
  void ascend();

  // State of every slot after the rounds X (D, steps B), y (steps B), oldest first: (H,B), or empty
  // without memory.
  nn::LstmState<T> remember(nn::InputRef<T> X, const VectorOf<T>& y, nn::Index slots);

  // D(x_i, y_j | state_i) of inputs X (D,N) at levels y (M): logits (M,N). One cell step from the
  // true history scores every level.
  void score_levels(nn::InputRef<T> X, const nn::LstmState<T>& state, const VectorOf<T>& levels,
                    MatrixOf<T>& logits);
  // dL/dX (D,N) from dL/dlogits (M,N) of the last score_levels().
  void score_levels_backward(nn::InputRef<T> dlogits, MatrixOf<T>& dX);

  nn::Index state_size() const { return shape_.recurrent ? shape_.hidden : 0; }
  nn::Index parameters() const { return cell_.shape().parameters() + head_.shape().parameters(); }
  VectorOf<T> parameter_vector() const;  // cell, then head
  void set_parameters(const VectorOf<T>& theta);
  VectorOf<T> gradient();

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  // Scores (1, columns) of inputs U (D+1, columns).
  nn::ConstMap<T> forward(const nn::SequenceShape& sequence, nn::InputRef<T> U,
                          const nn::LstmState<T>* start);
  void backward(nn::InputRef<T> dscores, bool with_parameters, MatrixOf<T>* dU);
  // Scores of a window after what came before it.
  nn::ConstMap<T> scores_of(const HelperWindow<T>& window);
  // Takes `state` (zero if empty) through U (D+1, steps B).
  void advance(nn::InputRef<T> U, nn::Index sequences, nn::LstmState<T>& state);

  Shape shape_;
  nn::ModifiedLstm<T> cell_;
  nn::Mlp<T> head_;
  nn::Adam<T> cell_adam_, head_adam_;
  MatrixOf<T> dH_;      // (H, columns)
  MatrixOf<T> levels_;  // (D+1, M N): inputs of the last score_levels()
};

}  // namespace vbo

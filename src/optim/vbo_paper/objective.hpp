// SPDX-License-Identifier: MIT
// What the action-net ascends. softmax_j D(x_i, y_j | history of slot i) over M outcome levels is
// the helper's predictive distribution p_i of the outcome at x_i, and with p = mean_i p_i
//   objective = mean_i m(x_i) + sqrt(beta) I(X;Y),
//   m(x_i) = sum_j p_ij y_j,   I(X;Y) = H(p) - mean_i H(p_i) = mean_i KL(p_i || p).
// The ablations of VBO-MI replace one term by a Gaussian process with mean mu and deviation sigma:
//   mean_i m(x_i) + sqrt(beta) mean_i sigma(x_i)     or     mean_i mu(x_i) + sqrt(beta) I(X;Y).
// Not thread-safe.
#pragma once

#include <span>

#include "information/decomposition.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/critics/search_surrogate.hpp"
#include "optim/vbo_paper/gp_term.hpp"
#include "optim/vbo_paper/helper.hpp"
#include "optim/vbo_paper/lens.hpp"

namespace vbo {

class ActorObjective {
 public:
  // All must outlive it; gp may be nullptr.
  ActorObjective(Helper<float>& helper, const Lens& lens, const GpReplacement* gp)
      : helper_(helper), lens_(lens), gp_(gp) {}

  // State of the slots' histories (H,B each, empty without memory) and levels (M), ascending.
  void move(nn::LstmState<float> state, VectorOf<float> levels);
  // Inputs X (D,N), input i after history slots[i]; exploration weighs `weight`. Where dX is not
  // nullptr it becomes the slope of the objective (D,N). The result is valid until the next call.
  const Assessment& assess(nn::InputRef<float> X, std::span<const Eigen::Index> slots,
                           double weight, MatrixOf<float>* dX = nullptr);

  void write(StateWriter& out) const;
  // As many histories and levels as given, both 0 before the first move().
  void read(StateReader& in, Eigen::Index slots, Eigen::Index levels);

 private:
  Helper<float>& helper_;
  const Lens& lens_;
  const GpReplacement* gp_;
  nn::LstmState<float> state_;
  VectorOf<float> levels_;
  MatrixOf<float> features_;  // (F,N) what the helper sees of the inputs
  MatrixOf<float> logits_;    // (M,N)
  DecompositionOf<float> parts_;
  Assessment assessment_;
};

}  // namespace vbo

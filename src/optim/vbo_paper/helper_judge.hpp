// SPDX-License-Identifier: MIT
// The helper as judge of the action-net: softmax_j D(x_i, y_j | history of slot i) over M outcome
// levels is the predictive distribution p_i of the outcome at x_i, and
//   objective = mean_i m(x_i) + sqrt(beta) I(X;Y),  m = sum_j p_ij y_j,  I = H(mean p_i) - mean
//   H(p_i)
// Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "information/decomposition.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo_paper/helper.hpp"

namespace vbo {

class HelperJudge final : public Judge {
 public:
  explicit HelperJudge(Helper<float>& helper) : helper_(helper) {}

  // State of the slots (H,B each, empty without memory) and levels (M), ascending.
  void move(nn::LstmState<float> state, VectorOf<float> levels);
  // What was read is the state of `slots` histories and as many levels as there should be.
  bool fits(Eigen::Index slots, Eigen::Index levels) const;

  // Input i continues history i mod B.
  const Judgement& judge(nn::InputRef<float> X, double weight, int threads,
                         MatrixOf<float>* dX = nullptr) override;
  // Input i continues history slots[i].
  const Judgement& judge(nn::InputRef<float> X, std::span<const Eigen::Index> slots, double weight,
                         MatrixOf<float>* dX = nullptr);

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  Helper<float>& helper_;
  nn::LstmState<float> state_;
  VectorOf<float> levels_;
  MatrixOf<float> logits_;  // (M,N)
  DecompositionOf<float> said_;
  Judgement judgement_;
};

}  // namespace vbo

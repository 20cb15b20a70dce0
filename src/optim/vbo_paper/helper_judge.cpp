// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/helper_judge.hpp"

#include <algorithm>
#include <utility>

namespace vbo {

void HelperJudge::move(nn::LstmState<float> state, VectorOf<float> levels) {
  state_ = std::move(state);
  levels_ = std::move(levels);
}

bool HelperJudge::fits(Eigen::Index slots, Eigen::Index levels) const {
  const nn::Index H = helper_.state_size(), B = H > 0 ? slots : 0;
  return state_.h.rows() == H && state_.h.cols() == B && state_.c.rows() == H &&
         state_.c.cols() == B && levels_.size() == levels;
}

const Judgement& HelperJudge::judge(nn::InputRef<float> X, double weight, int,
                                    MatrixOf<float>* dX) {
  std::vector<Eigen::Index> slots(static_cast<std::size_t>(X.cols()));
  const Eigen::Index B = std::max<Eigen::Index>(1, state_.h.cols());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<Eigen::Index>(i) % B;
  return judge(X, slots, weight, dX);
}

const Judgement& HelperJudge::judge(nn::InputRef<float> X, std::span<const Eigen::Index> slots,
                                    double weight, MatrixOf<float>* dX) {
  nn::LstmState<float> state;
  if (state_.h.size() > 0) {
    state.h = state_.h(Eigen::all, slots);
    state.c = state_.c(Eigen::all, slots);
  }
  helper_.score_levels(X, state, levels_, logits_);
  decompose_information<float>(logits_, 1, levels_, {weight, 0.0},
                               dX ? WithGradient::yes : WithGradient::no, said_);
  if (dX) helper_.score_levels_backward(said_.gradient, *dX);
  judgement_.meanings = {&kExpectedOutcome, &kInputInformation};
  judgement_.terms.resize(2, X.cols());
  judgement_.terms.row(0) = said_.mean.transpose();
  judgement_.terms.row(1) = static_cast<float>(weight) * said_.input_information.transpose();
  judgement_.score = judgement_.terms.colwise().sum().transpose();
  judgement_.exploitation = said_.mean_of_means;
  judgement_.input_information = said_.input_information_mean;
  return judgement_;
}

void HelperJudge::write(StateWriter& out) const {
  out.put(state_.h.cast<double>()).put(state_.c.cast<double>()).put(levels_.cast<double>());
}

void HelperJudge::read(StateReader& in) {
  state_.h = in.get_matrix().cast<float>();
  state_.c = in.get_matrix().cast<float>();
  levels_ = in.get_vector().cast<float>();
}

}  // namespace vbo

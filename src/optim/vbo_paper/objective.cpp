// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/objective.hpp"

#include <utility>

namespace vbo {

void ActorObjective::move(nn::LstmState<float> state, VectorOf<float> levels) {
  state_ = std::move(state);
  levels_ = std::move(levels);
}

const Assessment& ActorObjective::assess(nn::InputRef<float> X, std::span<const Eigen::Index> slots,
                                         double weight, MatrixOf<float>* dX) {
  nn::LstmState<float> state;
  if (state_.h.size() > 0) {
    state.h = state_.h(Eigen::all, slots);
    state.c = state_.c(Eigen::all, slots);
  }
  const GpTerm replaced = gp_ ? gp_->term() : GpTerm::none;
  lens_.coordinates().features(X, features_);
  helper_.score_levels(features_, state, levels_, logits_);
  decompose_information<float>(logits_, 1, levels_,
                               {.input_weight = replaced == GpTerm::exploration ? 0.0 : weight,
                                .model_weight = 0.0,
                                .mean_weight = replaced == GpTerm::exploitation ? 0.0 : 1.0},
                               dX ? WithGradient::yes : WithGradient::no, parts_);
  if (dX) {
    MatrixOf<float> dfeatures;
    helper_.score_levels_backward(parts_.gradient, dfeatures);
    lens_.coordinates().features_backward(features_, dfeatures, *dX);
  }
  assessment_.meanings = {&kExpectedOutcome, &kInputInformation};
  assessment_.terms.resize(2, X.cols());
  assessment_.terms.row(0) = parts_.mean.transpose();
  assessment_.terms.row(1) = parts_.input_information.transpose();
  if (replaced == GpTerm::exploitation) assessment_.terms.row(0) = gp_->mean(X, dX).transpose();
  if (replaced == GpTerm::exploration) {
    assessment_.meanings[1] = &kGpDeviation;
    assessment_.terms.row(1) = gp_->deviation(X, weight, dX).transpose();
  }
  assessment_.weight = weight;
  add_up(assessment_);
  assessment_.exploitation = assessment_.terms.row(0).cast<double>().mean();
  assessment_.input_information = parts_.input_information_mean;
  return assessment_;
}

void ActorObjective::write(StateWriter& out) const {
  out.put(state_.h.cast<double>()).put(state_.c.cast<double>()).put(levels_.cast<double>());
}

void ActorObjective::read(StateReader& in, Eigen::Index slots, Eigen::Index levels) {
  constexpr double largest = 1e6;  // state of a cell, or normal score
  const nn::Index H = slots > 0 ? helper_.state_size() : 0, B = H > 0 ? slots : 0;
  state_.h = in.get_matrix(H, B, largest).cast<float>();
  state_.c = in.get_matrix(H, B, largest).cast<float>();
  levels_ = in.get_vector(levels, largest).cast<float>();
}

}  // namespace vbo

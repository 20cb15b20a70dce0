// SPDX-License-Identifier: MIT
#include "optim/vbo/judge.hpp"

namespace vbo {

void Judge::learn(const Archive& archive, const Replay& replay, std::int64_t round, int threads) {
  const Learning work = learning(archive, replay, round);
  side_by_side(threads, work.pieces);
  work.conclude();
}

void set_judgement(const DecompositionOf<float>& predicted, double weight, Judgement& judgement) {
  judgement.meanings = {&kExpectedOutcome, &kInputInformation, &kModelInformation};
  judgement.terms.resize(3, predicted.mean.size());
  judgement.terms.row(0) = predicted.mean.transpose();
  judgement.terms.row(1) = predicted.input_information.transpose();
  judgement.terms.row(2) = predicted.model_information.transpose();
  judgement.weight = weight;
  add_up(judgement);
  judgement.exploitation = predicted.mean_of_means;
  judgement.input_information = predicted.input_information_mean;
  judgement.model_information = predicted.model_information_mean;
}

void add_up(Judgement& judgement) {
  const auto others = judgement.terms.bottomRows(judgement.terms.rows() - 1);
  judgement.score =
      (judgement.terms.row(0) + static_cast<float>(judgement.weight) * others.colwise().sum())
          .transpose();
}

Rationale rationale_of(const Judgement& judgement, Eigen::Index i) {
  Rationale why;
  why.acquisition = judgement.score[i];
  for (std::size_t j = 0; j < judgement.meanings.size(); ++j) {
    const JudgedTerm& meaning = *judgement.meanings[j];
    const double value = judgement.terms(static_cast<Eigen::Index>(j), i);
    why.add(meaning.weighted, j == 0 ? value : judgement.weight * value);
    if (meaning.plain) why.add(*meaning.plain, value);
  }
  return why;
}

const Judgement& CriticsJudge::judge(nn::InputRef<float> X, double weight, int threads, Room& room,
                                     MatrixOf<float>* dX) const {
  const DecompositionWeights weights{weight, weight};
  set_judgement(dX ? critics_.evaluate(frame_, X, weights, threads, room.critics, *dX)
                   : critics_.evaluate(frame_, X, weights, threads, room.critics),
                weight, room.judgement);
  return room.judgement;
}

Matrix CriticsJudge::forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) {
  return levels.merged(critics_.evaluate(frame_, X, {}, threads, room_.critics).predictive);
}

}  // namespace vbo

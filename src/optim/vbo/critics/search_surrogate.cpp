// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/search_surrogate.hpp"

namespace vbo {

void set_assessment(const DecompositionOf<float>& predicted, double weight,
                    Assessment& assessment) {
  assessment.meanings = {&kExpectedOutcome, &kInputInformation, &kModelInformation};
  assessment.terms.resize(3, predicted.mean.size());
  assessment.terms.row(0) = predicted.mean.transpose();
  assessment.terms.row(1) = predicted.input_information.transpose();
  assessment.terms.row(2) = predicted.model_information.transpose();
  assessment.weight = weight;
  add_up(assessment);
  assessment.exploitation = predicted.mean_of_means;
  assessment.input_information = predicted.input_information_mean;
  assessment.model_information = predicted.model_information_mean;
}

void add_up(Assessment& assessment) {
  const auto others = assessment.terms.bottomRows(assessment.terms.rows() - 1);
  assessment.score =
      (assessment.terms.row(0) + static_cast<float>(assessment.weight) * others.colwise().sum())
          .transpose();
}

Rationale rationale_of(const Assessment& assessment, Eigen::Index i) {
  Rationale why;
  why.acquisition = assessment.score[i];
  for (std::size_t j = 0; j < assessment.meanings.size(); ++j) {
    const ScoreTerm& meaning = *assessment.meanings[j];
    const double value = assessment.terms(static_cast<Eigen::Index>(j), i);
    why.add(meaning.weighted, j == 0 ? value : assessment.weight * value);
    if (meaning.plain) why.add(*meaning.plain, value);
  }
  return why;
}

}  // namespace vbo

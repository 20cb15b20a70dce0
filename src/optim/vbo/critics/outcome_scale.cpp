// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/outcome_scale.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/normal.hpp"

namespace vbo {

OutcomeScale::OutcomeScale(const OutcomeLevels& levels, const TargetScale& top) : top_(top) {
  std::vector<double> outcomes, scores;
  double below = 0.0;  // mass
  for (Eigen::Index g = 0; g < levels.edges().size(); ++g) {
    below += levels.mass()[g];
    const double edge = levels.edges()[g];
    if (!std::isfinite(edge) || (!outcomes.empty() && !(edge > outcomes.back()))) continue;
    outcomes.push_back(edge);
    scores.push_back(normal_quantile(below));
  }
  outcomes_ = Eigen::Map<const Vector>(outcomes.data(), std::ssize(outcomes));
  scores_ = Eigen::Map<const Vector>(scores.data(), std::ssize(scores));
}

Eigen::Index OutcomeScale::segment(double outcome) const {
  const auto after = std::upper_bound(outcomes_.begin(), outcomes_.end(), outcome);
  return std::clamp<Eigen::Index>(after - outcomes_.begin(), 1, outcomes_.size() - 1);
}

double OutcomeScale::score(double outcome) const {
  if (top_.keeps_value(outcome)) return top_.target(outcome, 0.0);
  if (outcomes_.size() < 2) return 0.0;
  const Eigen::Index i = segment(outcome);
  return scores_[i - 1] + slope(outcome) * (outcome - outcomes_[i - 1]);
}

double OutcomeScale::slope(double outcome) const {
  if (top_.keeps_value(outcome)) return std::exp(top_.log_slope(outcome));
  if (outcomes_.size() < 2) return 0.0;
  const Eigen::Index i = segment(outcome);
  return (scores_[i] - scores_[i - 1]) / (outcomes_[i] - outcomes_[i - 1]);
}

}  // namespace vbo

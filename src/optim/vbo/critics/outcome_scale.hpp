// SPDX-License-Identifier: MIT
// The scale on which the panel compares predictions: normal scores of ranks, and warped values
// above the bar of the Gaussian process's targets (training_subset.hpp), where it goes on beyond
// the best result. Immutable once made.
#pragma once

#include "optim/vbo/critics/calibration.hpp"
#include "optim/vbo/critics/training_subset.hpp"

namespace vbo {

class OutcomeScale {
 public:
  OutcomeScale() = default;
  OutcomeScale(const OutcomeLevels& levels, const TargetScale& top);

  double score(double outcome) const;
  double slope(double outcome) const;  // d score / d outcome

 private:
  // The knots between which ranks are interpolated: [i-1, i].
  Eigen::Index segment(double outcome) const;

  Vector outcomes_, scores_;  // (n) ascending; between and beyond them straight lines
  TargetScale top_;
};

}  // namespace vbo

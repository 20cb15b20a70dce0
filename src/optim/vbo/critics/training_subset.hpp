// SPDX-License-Identifier: MIT
// The training subset of the flagship's Gaussian process: which results it is fitted to, and how
// their outcomes become targets.
#pragma once

#include <vector>

#include "optim/surrogate/warp.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics/gp_window.hpp"
#include "vbo/random.hpp"

namespace vbo {

// Results that the GP is fitted to.
struct TrainingSubset {
  Matrix X;          // (D,N)
  Vector z;          // (N) normal scores of their ranks
  Vector outcomes;   // (N)
  Vector errors;     // (N) their standard errors, 0 where unknown; empty where all are
  double bar = 0.0;  // the lowest outcome that keeps its value
};
TrainingSubset training_subset(const Archive& archive, const Replay& replay,
                               const std::vector<int>& indices);

// Indices of at most `most` results. Of the whole box: half of them the best ones, the rest a
// sample of all others; all if they fit. Near the search: the nearest of those within its reach,
// among a bounded number of the best and of the newest.
std::vector<int> results_of_the_box(const Archive& archive, int most, Rng& rng);
std::vector<int> results_nearby(const Archive& archive, const GpWindow& view, int most);

// Targets of the GP: the normal score of the rank up to `bar`, above it the warped value.
struct TargetScale {
  double bar = 0.0;    // outcome
  double floor = 0.0;  // its target
  Warp warp;           // of outcomes above the bar
  double slope = 0.0;  // of targets per bent outcome above the bar; 0: ranks everywhere

  bool keeps_value(double outcome) const { return slope > 0.0 && outcome > bar; }
  // Of an outcome whose rank gives the normal score z.
  double target(double outcome, double z) const;
  double log_slope(double outcome) const;  // of target by outcome. REQUIRES: it keeps its value
  // The outcome that has this target; the bar for targets that are scores of ranks.
  double outcome(double target) const;
};
TargetScale target_scale(const TrainingSubset& subset, int warp);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What the Gaussian process of the flagship learns from: which results, and how their outcomes look
// to it.
#pragma once

#include <vector>

#include "optim/surrogate/warp.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/process_view.hpp"
#include "vbo/random.hpp"

namespace vbo {

// Results for the process to learn from.
struct Lesson {
  Matrix X;          // (D,N)
  Vector z;          // (N) normal scores of their ranks
  Vector outcomes;   // (N)
  double bar = 0.0;  // the lowest outcome that keeps its value
};
Lesson lesson_of(const Archive& archive, const Replay& replay, const std::vector<int>& indices);

// Indices of at most `most` results. Of the whole box: half of them the best ones, the rest a
// sample of all others; all if they fit. Near the search: the nearest of those within its reach,
// among a bounded number of the best and of the newest.
std::vector<int> results_of_the_box(const Archive& archive, int most, Rng& rng);
std::vector<int> results_nearby(const Archive& archive, const ProcessView& view, int most);

// How outcomes look to the process: a score (their rank's) up to `bar`, above it their value, bent.
struct TargetScale {
  double bar = 0.0;    // outcome
  double floor = 0.0;  // its target
  Warp warp;           // of outcomes above the bar
  double slope = 0.0;  // of targets per bent outcome above the bar; 0: ranks everywhere

  bool keeps_value(double outcome) const { return slope > 0.0 && outcome > bar; }
  // Of an outcome whose rank gives the normal score z.
  double target(double outcome, double z) const;
  double log_slope(double outcome) const;  // of target by outcome. REQUIRES: it keeps its value
};
TargetScale target_scale(const Lesson& lesson, int warp);

}  // namespace vbo

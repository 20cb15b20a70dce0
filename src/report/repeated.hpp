// SPDX-License-Identifier: MIT
// Results of points that were evaluated several times, one per point: a single one of them may be
// lucky. Repeats are known by their trials (repeat_of), and count only where they were evaluated at
// the same point.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "vbo/trial.hpp"

namespace vbo {

// How often points were evaluated with success, by the id of the first such trial; only those with
// several results.
using ResultCounts = std::map<TrialId, std::int64_t>;

struct MeanResults {
  // As given, but the first successful trial of a point has the means of values and metrics with
  // their standard errors, 0 without any deviation being unknown; the others have no values.
  std::vector<Trial> trials;
  ResultCounts counts;
};
// Nothing where no point has several results: each trial stands for itself.
std::optional<MeanResults> mean_results(std::span<const Trial> trials);

// The first trial at the point of this one; 0 is none.
TrialId point_of(const Trial& trial);

}  // namespace vbo

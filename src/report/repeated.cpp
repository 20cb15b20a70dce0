// SPDX-License-Identifier: MIT
#include "report/repeated.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "optim/repeats/merged_results.hpp"

namespace vbo {
namespace {

constexpr double kRounding = 1e-12;  // of a value

// Sums of equal numbers need not divide to the same number.
void keep_equal_values(const PooledVariance::Results& results, Trial& merged) {
  for (std::size_t m = 0; m < merged.values.size(); ++m) {
    const double first = results.front()->values[m];
    const bool equal =
        std::ranges::all_of(results, [&](const Trial* trial) { return trial->values[m] == first; });
    if (equal) merged.values[m] = first;
  }
  double largest = 0.0;
  for (std::size_t m = 0; m < merged.standard_error.size(); ++m) {
    const double error = merged.standard_error[m];
    if (error > kRounding * std::abs(merged.values[m])) largest = std::max(largest, error);
  }
  if (largest == 0.0) merged.standard_error.clear();
}

}  // namespace

TrialId point_of(const Trial& trial) {
  return trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id;
}

std::optional<MeanResults> mean_results(std::span<const Trial> trials) {
  const bool repeats = std::ranges::any_of(
      trials, [](const Trial& trial) { return trial.rationale.repeat_of != 0; });
  if (!repeats) return std::nullopt;
  std::map<TrialId, PooledVariance::Results> points;  // those with results, by their first trial
  for (const Trial& trial : trials) {
    if (trial.values.empty()) continue;
    PooledVariance::Results& there = points[point_of(trial)];
    const bool same = there.empty() || there.front()->point == trial.point;
    (same ? there : points[trial.id]).push_back(&trial);
  }
  PooledVariance variance;
  for (const auto& [first, results] : points) variance.add(results);
  std::map<TrialId, Trial> merged;
  MeanResults found{.trials = {trials.begin(), trials.end()}, .counts = {}};
  std::set<TrialId> merged_ids;
  for (const auto& [first, results] : points) {
    if (results.size() < 2) continue;
    Trial one = variance.merged(results);
    keep_equal_values(results, one);
    found.counts.emplace(one.id, std::ssize(results));
    for (const Trial* trial : results) merged_ids.insert(trial->id);
    merged.emplace(one.id, std::move(one));
  }
  if (merged.empty()) return std::nullopt;
  for (Trial& trial : found.trials) {
    if (const auto mean = merged.find(trial.id); mean != merged.end()) {
      trial = std::move(mean->second);
    } else if (merged_ids.contains(trial.id)) {
      trial.values.clear();
      trial.standard_error.clear();
    }
  }
  return found;
}

}  // namespace vbo

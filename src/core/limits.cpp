// SPDX-License-Identifier: MIT
#include "core/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Feasible values are kept above all infeasible ones.
constexpr double kLargestValue = 1e99;

}  // namespace

double scale_of(const Limit& limit) {
  double scale = 0.0;
  for (const std::optional<double>& bound : {limit.at_most, limit.at_least}) {
    if (bound) scale = std::max(scale, std::abs(*bound));
  }
  return scale > 0.0 ? scale : 1.0;
}

double excess(const Limit& limit, double metric) {
  double most = -kInfinity;
  if (limit.at_most) most = std::max(most, metric - *limit.at_most);
  if (limit.at_least) most = std::max(most, *limit.at_least - metric);
  return most;
}

double violation(std::span<const Limit> limits, const Metrics& metrics) {
  double sum = 0.0;
  for (const Limit& limit : limits) {
    const auto found = metrics.find(limit.metric);
    if (found == metrics.end()) return kInfinity;
    sum += std::log1p(std::max(0.0, excess(limit, found->second)) / scale_of(limit));
  }
  return sum;
}

double merit(const Space& space, const Trial& trial) {
  if (!trial.value || !std::isfinite(*trial.value)) return -kInfinity;
  if (space.limits().empty()) return *trial.value;
  const double outside = violation(space.limits(), trial.metrics);
  if (outside > 0.0) return std::max(kInfeasibleMerit * (1.0 + outside), -1e300);
  return std::clamp(*trial.value, -kLargestValue, kLargestValue);
}

double merit(const Space& space, Goal goal, const Trial& trial) {
  if (goal == Goal::maximize || !trial.value) return merit(space, trial);
  Trial flipped;
  flipped.value = -*trial.value;
  if (!space.limits().empty()) flipped.metrics = trial.metrics;
  return merit(space, flipped);
}

Result<void> check_metrics(const Space& space, const Metrics& metrics) {
  for (const Limit& limit : space.limits()) {
    if (metrics.contains(limit.metric)) continue;
    return Error{
        ErrorKind::invalid_input,
        "the metric \"" + limit.metric + "\" is missing; a constraint of the study needs it",
        "metrics." + limit.metric};
  }
  return {};
}

bool is_feasible(const Space& space, const Trial& trial) {
  return trial.value && !(violation(space.limits(), trial.metrics) > 0.0);
}

Result<std::optional<Trial>> best_result(Storage& storage, const StudyRecord& record) {
  if (record.space.limits().empty()) return storage.best_trial(record.goal);
  Result<std::vector<Trial>> history = storage.load_history();
  if (!history) return history.error();
  const Trial* best = nullptr;
  double highest = -kInfinity;
  for (const Trial& trial : *history) {
    if (!trial.value) continue;
    const double found = merit(record.space, record.goal, trial);
    if (best && !(found > highest)) continue;
    best = &trial;
    highest = found;
  }
  if (!best) return std::optional<Trial>();
  return storage.load_trial(best->id);
}

}  // namespace vbo

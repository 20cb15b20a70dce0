// SPDX-License-Identifier: MIT
#include "core/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  return !trial.values.empty() && !(violation(space.limits(), trial.metrics) > 0.0);
}

}  // namespace vbo

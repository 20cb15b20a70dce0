// SPDX-License-Identifier: MIT
#include "optim/repeats/merged_results.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

constexpr double kPriorFreedom = 4.0;  // weight of the variance of all points, in results

PooledVariance::Results succeeded(const PooledVariance::Results& results) {
  PooledVariance::Results good;
  for (const Trial* trial : results) {
    if (!trial->values.empty()) good.push_back(trial);
  }
  return good;
}

double mean_of(const PooledVariance::Results& good, std::size_t m) {
  double sum = 0.0;
  for (const Trial* trial : good) sum += trial->values[m];
  return sum / static_cast<double>(good.size());
}

double deviations_of(const PooledVariance::Results& good, std::size_t m) {
  const double mean = mean_of(good, m);
  double sum = 0.0;
  for (const Trial* trial : good) sum += (trial->values[m] - mean) * (trial->values[m] - mean);
  return sum;
}

// Of the mean, from the standard errors that the results came with; 0 when one came without.
double given_error(const PooledVariance::Results& good, std::size_t m) {
  double squares = 0.0;
  for (const Trial* trial : good) {
    if (trial->standard_error.size() <= m) return 0.0;
    squares += trial->standard_error[m] * trial->standard_error[m];
  }
  return std::sqrt(squares) / static_cast<double>(good.size());
}

Metrics mean_metrics(const PooledVariance::Results& good) {
  Metrics means;
  for (const auto& [name, value] : good.front()->metrics) {
    double sum = 0.0;
    const bool everywhere = std::ranges::all_of(good, [&, &key = name](const Trial* trial) {
      const auto found = trial->metrics.find(key);
      if (found == trial->metrics.end()) return false;
      sum += found->second;
      return true;
    });
    if (everywhere) means[name] = sum / static_cast<double>(good.size());
  }
  return means;
}

}  // namespace

void PooledVariance::add(const Results& results) {
  const Results good = succeeded(results);
  if (good.size() < 2) return;
  deviations_.resize(std::max(deviations_.size(), good.front()->values.size()), 0.0);
  for (std::size_t m = 0; m < good.front()->values.size(); ++m) {
    deviations_[m] += deviations_of(good, m);
  }
  freedom_ += static_cast<double>(good.size() - 1);
}

Trial PooledVariance::merged(const Results& results) const {
  const Results good = succeeded(results);
  Trial one = good.empty() ? *results.front() : *good.front();
  one.id = results.front()->id;
  one.asked_in = results.front()->asked_in;
  one.rationale = results.front()->rationale;
  one.steps.clear();
  for (const Trial* trial : results) one.told_in = std::max(one.told_in, trial->told_in);
  if (good.empty()) return one;
  const auto n = static_cast<double>(good.size());
  const bool stopped = std::ranges::all_of(
      good, [](const Trial* trial) { return trial->state == TrialState::stopped; });
  one.state = stopped ? TrialState::stopped : TrialState::completed;
  one.metrics = mean_metrics(good);
  one.standard_error.clear();
  const std::size_t objectives = one.values.size();
  for (std::size_t m = 0; m < objectives; ++m) {
    one.values[m] = mean_of(good, m);
    double variance = 0.0;
    if (freedom_ > 0.0) {
      const double pooled = deviations_[m] / freedom_;
      variance = (kPriorFreedom * pooled + deviations_of(good, m)) / (kPriorFreedom + n - 1.0);
    }
    one.standard_error.push_back(std::max(std::sqrt(variance / n), given_error(good, m)));
  }
  const bool is_known = freedom_ > 0.0 || !good.front()->standard_error.empty();
  if (!is_known) one.standard_error.clear();
  return one;
}

}  // namespace vbo

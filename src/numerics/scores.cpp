// SPDX-License-Identifier: MIT
#include "numerics/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/normal.hpp"

namespace vbo {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

double without_nan(double y) { return std::isnan(y) ? kLowest : y; }

// `rank` in 1..n, halves for ties.
double plotting_position(PlottingPosition kind, double rank, double n) {
  return kind == PlottingPosition::blom ? (rank - 0.375) / (n + 0.25) : (rank - 0.5) / n;
}

}  // namespace

Standardization fit_standardization(ConstVectorRef y) {
  Standardization fit;
  if (y.size() == 0) return fit;
  fit.mean = y.mean();
  if (y.size() < 2) return fit;
  const double variance = (y.array() - fit.mean).square().sum() / static_cast<double>(y.size() - 1);
  const double deviation = std::sqrt(variance);
  if (deviation >= 1e-8) fit.scale = deviation;
  return fit;
}

Vector standardize(ConstVectorRef y) {
  const Standardization fit = fit_standardization(y);
  return (y.array() - fit.mean) / fit.scale;
}

Vector normal_scores(ConstVectorRef y, PlottingPosition position) {
  const auto n = static_cast<std::size_t>(y.size());
  std::vector<Eigen::Index> order(n);
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return without_nan(y[a]) < without_nan(y[b]); });
  Vector scores(y.size());
  for (std::size_t first = 0; first < n;) {
    std::size_t last = first;  // of the run of equal values
    while (last + 1 < n && without_nan(y[order[last + 1]]) == without_nan(y[order[first]])) ++last;
    const double rank = 0.5 * static_cast<double>(first + last) + 1.0;
    const double z = normal_quantile(plotting_position(position, rank, static_cast<double>(n)));
    for (std::size_t i = first; i <= last; ++i) scores[order[i]] = z;
    first = last + 1;
  }
  return scores;
}

void NormalScoreTable::insert(std::span<const double> values) {
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  for (const double value : values) sorted_.push_back(without_nan(value));
  std::sort(sorted_.begin() + middle, sorted_.end());
  std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end());
}

double NormalScoreTable::position_of(double rank) const {
  return plotting_position(position_, rank, static_cast<double>(sorted_.size()));
}

double NormalScoreTable::score(double value) const {
  if (sorted_.empty()) return 0.0;
  const auto [low, high] = std::equal_range(sorted_.begin(), sorted_.end(), without_nan(value));
  const auto below = static_cast<double>(low - sorted_.begin());
  const auto equal = static_cast<double>(high - low);
  // Ranks below+1 .. below+equal average to below + (equal+1)/2; a new value gets below + 1/2,
  // kept off the ends, where the position would leave (0,1).
  const auto n = static_cast<double>(sorted_.size());
  const double rank = below + 0.5 * (equal + 1.0);
  return normal_quantile(position_of(std::clamp(rank, 0.75, n + 0.25)));
}

double NormalScoreTable::value(double z) const {
  const auto n = static_cast<double>(sorted_.size());
  const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
  const double rank = position_ == PlottingPosition::blom ? p * (n + 0.25) + 0.375 : p * n + 0.5;
  const double at = std::clamp(rank - 1.0, 0.0, n - 1.0);  // zero-based, fractional
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted_.size() - 1);
  const double weight = at - static_cast<double>(low);
  if (weight == 0.0 || sorted_[low] == sorted_[high]) return sorted_[low];
  return sorted_[low] + weight * (sorted_[high] - sorted_[low]);
}

}  // namespace vbo

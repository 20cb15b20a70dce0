// SPDX-License-Identifier: MIT
#include "numerics/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/normal.hpp"

namespace vbo {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

double without_nan(double y) {
  if (std::isnan(y)) return kLowest;
  return y;
}

// `rank` in 1..n, halves for ties.
double plotting_position(PlottingPosition kind, double rank, double n) {
  return kind == PlottingPosition::blom ? (rank - 0.375) / (n + 0.25) : (rank - 0.5) / n;
}

}  // namespace

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

double kendall_tau(ConstVectorRef a, ConstVectorRef b) {
  double difference = 0.0, pairs = 0.0;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double product = (a[i] - a[j]) * (b[i] - b[j]);
      difference += product > 0.0 ? 1.0 : product < 0.0 ? -1.0 : 0.0;
      pairs += 1.0;
    }
  }
  return pairs > 0.0 ? difference / pairs : 0.0;
}

}  // namespace vbo

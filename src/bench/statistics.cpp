// SPDX-License-Identifier: MIT
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vbo::bench {
namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

std::vector<double> present(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double v) { return !std::isnan(v); });
  return kept;
}

// P(W <= w) for the sum W of a random subset of {1..n}, by counting subsets.
double signed_rank_cdf(int n, double w) {
  std::vector<double> count(static_cast<std::size_t>(n * (n + 1) / 2 + 1), 0.0);
  count[0] = 1.0;
  for (int rank = 1; rank <= n; ++rank) {
    for (std::size_t s = count.size() - 1; s >= static_cast<std::size_t>(rank); --s) {
      count[s] += count[s - static_cast<std::size_t>(rank)];
    }
  }
  const auto last = static_cast<std::size_t>(std::floor(w)) + 1;
  return std::accumulate(count.begin(), count.begin() + static_cast<std::ptrdiff_t>(last), 0.0) /
         std::exp2(n);
}

}  // namespace

double mean(std::span<const double> values) {
  const auto kept = present(values);
  if (kept.empty()) return missing_value;
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

double variance(std::span<const double> values) {
  const auto kept = present(values);
  if (kept.size() < 2) return missing_value;
  const double centre = mean(kept);
  double sum = 0.0;
  for (const double v : kept) sum += (v - centre) * (v - centre);
  return sum / static_cast<double>(kept.size() - 1);
}

double quantile(std::span<const double> values, double q) {
  auto kept = present(values);
  if (kept.empty()) return missing_value;
  std::sort(kept.begin(), kept.end());
  const double position = q * static_cast<double>(kept.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, kept.size() - 1);
  return kept[below] + (position - static_cast<double>(below)) * (kept[above] - kept[below]);
}

double sign_test(int wins, int losses) {
  const int n = wins + losses;
  if (n == 0) return 1.0;
  const int fewer = std::min(wins, losses);
  double tail = 0.0, term = std::exp2(-n);  // C(n,k) / 2^n
  for (int k = 0; k <= fewer; ++k) {
    tail += term;
    term *= static_cast<double>(n - k) / (k + 1);
  }
  return std::min(1.0, 2.0 * tail);
}

double wilcoxon_signed_rank(std::span<const double> differences) {
  std::vector<double> kept = present(differences);
  std::erase(kept, 0.0);
  const int n = static_cast<int>(kept.size());
  if (n == 0) return 1.0;
  std::vector<double> sizes;
  sizes.reserve(kept.size());
  for (const double d : kept) sizes.push_back(-std::abs(d));
  const std::vector<double> ranks = ranks_descending(sizes);  // smallest size = rank 1
  double positive = 0.0;
  for (int i = 0; i < n; ++i) {
    if (kept[static_cast<std::size_t>(i)] > 0) positive += ranks[static_cast<std::size_t>(i)];
  }
  double tie_term = 0.0;  // sum of t^3 - t over groups of equal size
  std::sort(sizes.begin(), sizes.end());
  for (auto it = sizes.begin(); it != sizes.end();) {
    const auto end = std::upper_bound(it, sizes.end(), *it);
    const auto t = static_cast<double>(end - it);
    tie_term += t * t * t - t;
    it = end;
  }
  const double total = 0.5 * n * (n + 1);
  const double smaller = std::min(positive, total - positive);
  if (n <= 25 && tie_term == 0.0) return std::min(1.0, 2.0 * signed_rank_cdf(n, smaller));
  const double deviation = std::sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term / 48.0);
  const double z = (smaller - 0.5 * total) / deviation;
  return std::min(1.0, std::erfc(-z / std::sqrt(2.0)));
}

double student_margin(std::span<const double> values) {
  // Quantile 0.975 of t with 1, 2, ... degrees of freedom; from 30 on within 0.2% by the expansion
  // z + (z^3 + z)/(4 n).
  constexpr double quantiles[] = {12.706, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                  2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                  2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                  2.0595, 2.0555, 2.0518, 2.0484, 2.0452};
  const auto n = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](double v) { return !std::isnan(v); }));
  if (n < 2) return missing_value;
  constexpr double z = 1.959964;
  const double freedom = static_cast<double>(n - 1);
  const double t =
      n - 1 <= std::size(quantiles) ? quantiles[n - 2] : z + (z * z * z + z) / (4.0 * freedom);
  return t * std::sqrt(variance(values) / static_cast<double>(n));
}

bool above(double a, double b, double tolerance) { return a - b > tolerance * (1.0 + std::abs(b)); }

std::vector<double> ranks_descending(std::span<const double> values, double tolerance) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::isnan(values[i]) ? std::numeric_limits<double>::lowest() : values[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && !above(key(order[first]), key(order[last + 1]), tolerance)) {
      ++last;
    }
    const double shared = 0.5 * static_cast<double>(first + last) + 1.0;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = shared;
    first = last + 1;
  }
  return ranks;
}

}  // namespace vbo::bench

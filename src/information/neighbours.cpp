// SPDX-License-Identifier: MIT
// For sample i let rho be the distance to its k-th neighbour in the maximum norm over (x, y), and
// n_x, n_y the number of samples, itself included, closer than rho in x alone and in y alone. Then
//   I = mean_i [ psi(k) + psi(N) - psi(n_x) - psi(n_y) ].
// Where ties make rho zero, k becomes the number of samples at distance zero, and n_x, n_y count
// those too. Where a category has fewer than k other samples, k is what there is.
#include "information/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vbo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEulerGamma = 0.57721566490153286;

using Columns = std::span<const NeighbourColumn>;

// psi(1), psi(2), ..., psi(n) by psi(m+1) = psi(m) + 1/m; index 0 is not used.
std::vector<double> digamma_table(std::size_t n) {
  std::vector<double> table(n + 1, -kEulerGamma);
  for (std::size_t m = 1; m < n; ++m) table[m + 1] = table[m] + 1.0 / static_cast<double>(m);
  return table;
}

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] < values[b] : a < b;
  });
  return order;
}

double distance(const NeighbourColumn& column, std::size_t i, std::size_t j) {
  const double difference = std::abs(column.values[i] - column.values[j]);
  if (column.categorical && difference > 0.0) return kInfinity;
  return difference;
}

double distance(Columns x, std::size_t i, std::size_t j) {
  double largest = distance(x[0], i, j);
  for (std::size_t c = 1; c < x.size(); ++c) largest = std::max(largest, distance(x[c], i, j));
  return largest;
}

// Counts of samples closer than rho in one column of numbers, by binary search.
class SortedColumn {
 public:
  explicit SortedColumn(std::span<const double> values) : order_(order_of(values)) {
    sorted_.reserve(values.size());
    for (const std::size_t i : order_) sorted_.push_back(values[i]);
  }

  // Positions [first, last) of the samples closer than rho to `value`; at rho = 0 the equal ones.
  std::pair<std::size_t, std::size_t> within(double value, double rho) const {
    const auto begin = sorted_.begin();
    if (rho == 0.0) {
      const auto [first, last] = std::equal_range(begin, sorted_.end(), value);
      return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
    }
    // By the difference itself, as distance() has it: value - rho would round differently.
    const auto first = std::partition_point(begin, sorted_.end(),
                                            [&](double other) { return value - other >= rho; });
    const auto last = std::partition_point(first, sorted_.end(),
                                           [&](double other) { return other - value < rho; });
    return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
  }
  std::size_t at(std::size_t position) const { return order_[position]; }
  std::span<const double> values() const { return sorted_; }

 private:
  std::vector<std::size_t> order_;
  std::vector<double> sorted_;
};

struct Nearest {
  double rho = kInfinity;
  std::size_t k = 0;  // neighbours that rho counts; 0: nothing at a finite distance
};

// The k smallest of the distances shown to it.
class Smallest {
 public:
  explicit Smallest(std::size_t k) : kept_(k, kInfinity) {}
  void clear() {
    std::fill(kept_.begin(), kept_.end(), kInfinity);
    zeros_ = 0;
  }
  double largest() const { return kept_.back(); }
  void add(double d) {
    zeros_ += d == 0.0;
    if (d >= kept_.back()) return;
    std::size_t place = kept_.size() - 1;
    for (; place > 0 && kept_[place - 1] > d; --place) kept_[place] = kept_[place - 1];
    kept_[place] = d;
  }
  Nearest result() const {
    const auto finite = std::find(kept_.begin(), kept_.end(), kInfinity) - kept_.begin();
    if (finite == 0) return {};
    const double rho = kept_[static_cast<std::size_t>(finite) - 1];
    return {rho, rho == 0.0 ? zeros_ : static_cast<std::size_t>(finite)};
  }

 private:
  std::vector<double> kept_;  // ascending
  std::size_t zeros_ = 0;
};

// Walks from sample i outwards in y until no sample further away in y can be among the k nearest.
// REQUIRES: y ascending, x in the same order.
Nearest nearest(Columns x, std::span<const double> y, std::size_t i, Smallest& smallest) {
  smallest.clear();
  const auto look = [&](std::size_t j) {
    const double dy = std::abs(y[j] - y[i]);
    if (dy > 0.0 && dy >= smallest.largest()) return false;
    smallest.add(std::max(dy, distance(x, i, j)));
    return true;
  };
  for (std::size_t up = i + 1; up < y.size() && look(up); ++up) {
  }
  for (std::size_t down = i; down > 0 && look(down - 1); --down) {
  }
  return smallest.result();
}

std::size_t count(std::pair<std::size_t, std::size_t> range) { return range.second - range.first; }

// n_x for one column or several.
class Counter {
 public:
  explicit Counter(Columns x) : x_(x) {
    // The column whose window is searched; a category's window is its own members.
    for (std::size_t c = 0; c < x.size(); ++c) {
      if (!x[c].categorical) lead_ = c;
    }
    sorted_.emplace_back(x_[lead_].values);
  }

  std::size_t operator()(std::size_t i, double rho) const {
    const NeighbourColumn& lead = x_[lead_];
    const auto range = sorted_.front().within(lead.values[i], lead.categorical ? 0.0 : rho);
    if (x_.size() == 1) return count(range);
    std::size_t inside = 0;
    for (std::size_t p = range.first; p < range.second; ++p) {
      const double d = distance(x_, i, sorted_.front().at(p));
      inside += rho == 0.0 ? d == 0.0 : d < rho;
    }
    return inside;
  }

 private:
  Columns x_;
  std::size_t lead_ = 0;
  std::vector<SortedColumn> sorted_;
};

}  // namespace

NeighbourEstimate neighbour_information(std::span<const NeighbourColumn* const> x,
                                        std::span<const double> y, int k) {
  const std::size_t n = y.size();
  const std::vector<double> psi = digamma_table(n);
  // Everything in the order of y, so that walking outwards walks through memory.
  const SortedColumn sorted_y(y);
  std::vector<NeighbourColumn> columns;
  for (const NeighbourColumn* column : x) {
    columns.push_back({{}, column->categorical});
    columns.back().values.reserve(n);
    for (std::size_t p = 0; p < n; ++p)
      columns.back().values.push_back(column->values[sorted_y.at(p)]);
  }
  const Counter count_x(columns);
  Smallest smallest(static_cast<std::size_t>(k));
  NeighbourEstimate estimate;
  estimate.local.assign(n, 0.0);
  double sum = 0.0;
  for (std::size_t p = 0; p < n; ++p) {
    const Nearest near = nearest(columns, sorted_y.values(), p, smallest);
    if (near.k == 0) continue;  // alone in its category: it tells nothing either way
    const std::size_t n_x = std::max(count_x(p, near.rho), std::size_t{1});
    const std::size_t n_y =
        std::max(count(sorted_y.within(sorted_y.values()[p], near.rho)), std::size_t{1});
    // At rho = 0 the samples at distance zero count sample p as well.
    const std::size_t neighbours = near.rho == 0.0 ? near.k + 1 : near.k;
    const double local = psi[neighbours] + psi[n] - psi[n_x] - psi[n_y];
    estimate.local[sorted_y.at(p)] = local;
    sum += local;
  }
  estimate.nats = sum / static_cast<double>(n);
  return estimate;
}

}  // namespace vbo

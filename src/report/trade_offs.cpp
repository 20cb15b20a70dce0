// SPDX-License-Identifier: MIT
#include "vbo/trade_offs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/linalg.hpp"

namespace vbo {
namespace {

using Eigen::Index;

double cost_sign(const Objective& objective) {
  return objective.goal == Goal::minimize ? 1.0 : -1.0;
}

// Y (M,n): the trials of the front as costs, one column each.
Matrix costs_of(const Front& front) {
  Matrix Y(std::ssize(front.objectives), std::ssize(front.trials));
  for (Index i = 0; i < Y.cols(); ++i) {
    const std::vector<double>& values = front.trials[static_cast<std::size_t>(i)].values;
    for (Index m = 0; m < Y.rows(); ++m) {
      const auto at = static_cast<std::size_t>(m);
      Y(m, i) = cost_sign(front.objectives[at]) * values[at];
    }
  }
  return Y;
}

// Each objective from 0, the best on the front, to 1, the worst; 0 where all members are equal.
Matrix scaled(Matrix Y) {
  const Vector best = Y.rowwise().minCoeff();
  const Vector range = Y.rowwise().maxCoeff() - best;
  Y.colwise() -= best;
  for (Index m = 0; m < Y.rows(); ++m) {
    if (range[m] > 0.0 && std::isfinite(range[m])) {
      Y.row(m) /= range[m];
    } else {
      Y.row(m).setZero();
    }
  }
  return Y;
}

// Positions of the members that none dominates in objectives a and b alone, from the best in a; of
// equal ones the first.
std::vector<Index> plane(const Matrix& Y, Index a, Index b) {
  std::vector<Index> order(static_cast<std::size_t>(Y.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index i, Index j) {
    return Y(a, i) != Y(a, j) ? Y(a, i) < Y(a, j) : Y(b, i) < Y(b, j);
  });
  std::vector<Index> kept;
  for (const Index i : order) {
    if (kept.empty() || Y(b, i) < Y(b, kept.back())) kept.push_back(i);
  }
  return kept;
}

// At most kMostStops of the path, at about equal distances along it, each objective scaled to its
// range.
std::vector<Index> stops_along(const std::vector<Index>& path, const Matrix& Y, Index a, Index b) {
  if (path.size() <= kMostStops) return path;
  std::vector<double> way(path.size(), 0.0);
  for (std::size_t i = 1; i < path.size(); ++i) {
    way[i] = way[i - 1] + std::abs(Y(a, path[i]) - Y(a, path[i - 1])) +
             std::abs(Y(b, path[i]) - Y(b, path[i - 1]));
  }
  std::vector<Index> stops;
  std::size_t next = 0;
  for (std::size_t k = 0; k < kMostStops; ++k) {
    const double at = way.back() * static_cast<double>(k) / (kMostStops - 1);
    const std::size_t latest = path.size() - (kMostStops - k);
    while (next < latest && way[next] < at) ++next;
    stops.push_back(path[next++]);
  }
  return stops;
}

// One member per objective; `scaled` breaks ties.
std::vector<Index> extremes_of(const Matrix& Y, const Matrix& scaled) {
  std::vector<Index> extremes;
  for (Index m = 0; m < Y.rows(); ++m) {
    const auto better = [&](Index i, Index j) {
      if (Y(m, i) != Y(m, j)) return Y(m, i) < Y(m, j);
      return scaled.col(i).sum() < scaled.col(j).sum();
    };
    Index found = 0;
    for (Index i = 1; i < Y.cols(); ++i) found = better(i, found) ? i : found;
    extremes.push_back(found);
  }
  return extremes;
}

std::optional<Index> knee_of(const Matrix& scaled, const std::vector<Index>& extremes) {
  Index knee = 0;
  const double least = scaled.colwise().sum().minCoeff(&knee);
  // Between the extremes of two objectives the sum is 1 on a straight line.
  if (scaled.rows() == 2 && !(least < 1.0)) return std::nullopt;
  if (std::ranges::find(extremes, knee) != extremes.end()) return std::nullopt;
  return knee;
}

}  // namespace

TradeOffs trade_offs_of(const Front& front) {
  TradeOffs found;
  if (front.trials.empty() || front.objectives.size() < 2) return found;
  const Matrix Y = costs_of(front);
  const Matrix in_ranges = scaled(Y);
  const auto id = [&](Index i) { return front.trials[static_cast<std::size_t>(i)].id; };
  const std::vector<Index> extremes = extremes_of(Y, in_ranges);
  for (const Index i : extremes) found.extremes.push_back(id(i));
  if (const std::optional<Index> knee = knee_of(in_ranges, extremes)) found.knee = id(*knee);
  for (Index a = 0; a < Y.rows(); ++a) {
    for (Index b = a + 1; b < Y.rows(); ++b) {
      const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
      const double sign_a = cost_sign(front.objectives[first]);
      const double sign_b = cost_sign(front.objectives[second]);
      TradeOff& pair = found.pairs.emplace_back(TradeOff{first, second, {}});
      const std::vector<Index> stops = stops_along(plane(Y, a, b), in_ranges, a, b);
      for (std::size_t k = 0; k < stops.size(); ++k) {
        const Index i = stops[k];
        pair.stops.push_back({id(i), sign_a * Y(a, i), sign_b * Y(b, i), std::nullopt});
        if (k + 1 == stops.size()) continue;
        const Index j = stops[k + 1];
        pair.stops.back().buys = (Y(b, i) - Y(b, j)) / (Y(a, j) - Y(a, i));
      }
    }
  }
  return found;
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "optim/pareto/elites.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace vbo::pareto {

using Eigen::Index;

Vector values_of(const History& history, Index i, Index objectives) {
  constexpr double largest = 1e300;  // beyond, differences overflow
  const std::span<const double> values = history.values(i);
  if (std::ssize(values) != objectives) return {};
  return Eigen::Map<const Vector>(values.data(), objectives).cwiseMin(largest).cwiseMax(-largest);
}

void Elites::append(Index i, ConstVectorRef y) {
  if (size() == values_.cols()) values_.conservativeResize(Eigen::NoChange, 2 * size() + 16);
  values_.col(size()) = y;
  indices_.push_back(i);
}

void Elites::keep(const std::vector<Index>& columns) {
  std::vector<Index> indices;
  for (const Index j : columns) indices.push_back(indices_[static_cast<std::size_t>(j)]);
  values_ = Matrix(values_(Eigen::all, columns));
  indices_ = std::move(indices);
}

void Elites::add(const History& history, Index i) {
  const Vector y = values_of(history, i, values_.rows());
  if (y.size() == 0) return;
  if (!history.feasible(i)) {
    if (feasible_) return;
    append(i, y);
    violation_.push_back(-history.standing(i).amount);
    if (indices_.size() > 2 * kMost) thin_out();
    return;
  }
  if (!feasible_) {
    feasible_ = true;
    indices_.clear();
    violation_.clear();
  }
  std::vector<Index> left;
  for (Index j = 0; j < size(); ++j) {
    if ((values_.col(j).array() >= y.array()).all()) return;  // dominated, or equal
    if (!(values_.col(j).array() <= y.array()).all()) left.push_back(j);
  }
  if (std::ssize(left) < size()) keep(left);
  append(i, y);
  if (indices_.size() > 2 * kMost) thin_out();
}

// Infeasible ones: the least violating half. Feasible ones: those that are best in one objective,
// then always the one farthest from all kept, in widths of the front.
void Elites::thin_out() {
  std::vector<Index> kept;
  if (!feasible_) {
    kept.resize(indices_.size());
    std::iota(kept.begin(), kept.end(), Index{0});
    std::ranges::stable_sort(kept, {},
                             [&](Index j) { return violation_[static_cast<std::size_t>(j)]; });
    kept.resize(kMost);
    std::ranges::sort(kept);
    std::vector<double> violation;
    for (const Index j : kept) violation.push_back(violation_[static_cast<std::size_t>(j)]);
    violation_ = std::move(violation);
    return keep(kept);
  }
  const Vector low = values().rowwise().minCoeff();
  const Vector width = (values().rowwise().maxCoeff() - low).cwiseMax(1e-300);
  const Matrix V = (values().colwise() - low).array().colwise() / width.array();
  Vector nearest = Vector::Constant(size(), std::numeric_limits<double>::infinity());
  Index next = 0;
  for (std::size_t k = 0; k < kMost; ++k) {
    if (static_cast<Index>(k) < V.rows()) {
      V.row(static_cast<Index>(k)).maxCoeff(&next);
    } else {
      nearest.maxCoeff(&next);
    }
    kept.push_back(next);
    nearest = nearest.cwiseMin((V.colwise() - V.col(next)).colwise().squaredNorm().transpose());
  }
  std::ranges::sort(kept);
  const auto repeated = std::ranges::unique(kept);  // one result may be the best in two objectives
  kept.erase(repeated.begin(), repeated.end());
  keep(kept);
}

}  // namespace vbo::pareto

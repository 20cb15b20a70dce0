// SPDX-License-Identifier: MIT
#include "optim/vbo/archive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {

namespace {

// Feasible values are kept above all infeasible ones.
constexpr double kLargestValue = 1e99;
constexpr double kInfeasible = -1e100;  // values of infeasible results are at or below

// With less, results outside the elite have no quantile of their own: their scores become infinite,
// and ranks read back from quantiles leave the archive.
constexpr double kLeastUniformShare = 1e-3;

}  // namespace

double Replay::quantile(double rank) const {
  const double r = rank + 0.5;
  return uniform_share * r / results + (1.0 - uniform_share) * std::min(1.0, r / elite);
}

double Replay::rank_at(double quantile) const {
  const double slope = uniform_share / results + (1.0 - uniform_share) / elite;
  const double inside = quantile / slope;
  if (inside <= elite) return inside - 0.5;
  if (uniform_share <= 0.0) return elite - 0.5;
  return (quantile - (1.0 - uniform_share)) * results / uniform_share - 0.5;
}

double archive_value(const Encoding& encoding, const Trial& trial) {
  const Standing standing = Order::maximizing(encoding.space()).standing(trial);
  switch (standing.kind) {
    case Standing::Kind::failed:
      return -std::numeric_limits<double>::infinity();
    case Standing::Kind::infeasible:
      return std::max(kInfeasible * (1.0 - standing.amount), -1e300);
    case Standing::Kind::feasible:
      break;
  }
  if (encoding.space().limits().empty()) return standing.amount;
  return std::clamp(standing.amount, -kLargestValue, kLargestValue);
}

double archive_error(const Trial& trial) {
  return trial.standard_error.empty() ? 0.0 : trial.standard_error.front();
}

Archive::Archive(const Encoding& encoding) : dimension_(encoding.dimension()) {
  if (!encoding.space().limits().empty()) infeasible_ = kInfeasible;
}

void Archive::add(TrialId id, ConstVectorRef code, double value, double error) {
  codes_.insert(codes_.end(), code.begin(), code.end());
  values_.push_back(value);
  errors_.push_back(error);
  ids_.push_back(id);
}

void Archive::sort() {
  const auto better = [this](int a, int b) {
    const double va = value(a), vb = value(b);
    return va != vb ? va > vb : a < b;
  };
  for (int i = static_cast<int>(order_.size()); i < size(); ++i) order_.push_back(i);
  const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, order_.end(), better);
  std::inplace_merge(order_.begin(), middle, order_.end(), better);
  sorted_ = order_.size();
}

double Archive::shared_rank(int index) const {
  const double v = value(index);
  const auto above = [this, v](int i) { return value(i) > v; };
  const auto not_below = [this, v](int i) { return value(i) >= v; };
  const auto first = std::partition_point(order_.begin(), order_.end(), above);
  const auto last = std::partition_point(first, order_.end(), not_below);
  const auto from = static_cast<double>(first - order_.begin());
  const auto to = static_cast<double>(last - order_.begin());
  return 0.5 * (from + to - 1.0);
}

int Archive::succeeded() const {
  const auto finite = [this](int i) { return value(i) > -std::numeric_limits<double>::infinity(); };
  return static_cast<int>(std::partition_point(order_.begin(), order_.end(), finite) -
                          order_.begin());
}

int Archive::feasible() const {
  const auto feasible = [this](int i) { return is_feasible(value(i)); };
  return static_cast<int>(std::partition_point(order_.begin(), order_.end(), feasible) -
                          order_.begin());
}

double Archive::value_at_rank(double rank) const {
  const int last = succeeded() - 1;
  if (last < 0) return 0.0;
  // A rank that is no number, of a prediction that is none, counts as the first.
  const double r = rank > 0.0 ? std::min(rank, static_cast<double>(last)) : 0.0;
  const int low = static_cast<int>(r);
  const int high = std::min(low + 1, static_cast<int>(last));
  const double t = r - low;
  return (1.0 - t) * value(at_rank(low)) + t * value(at_rank(high));
}

double Archive::lowest_feasible() const {
  const auto feasible = [this](int i) { return is_feasible(value(i)); };
  const auto end = std::partition_point(order_.begin(), order_.end(), feasible);
  if (end != order_.begin()) return value(*(end - 1));
  return value_at_rank(static_cast<double>(size()));
}

Replay Archive::replay(double uniform_share, int elite) const {
  return {std::max(uniform_share, kLeastUniformShare), size(),
          std::clamp(elite, 1, std::max(1, size()))};
}

}  // namespace vbo

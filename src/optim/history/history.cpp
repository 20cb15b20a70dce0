// SPDX-License-Identifier: MIT
#include "optim/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "optim/feasibility.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double kLargestKept = 1e300;  // beyond, differences and sums of values overflow

}  // namespace

std::optional<double> Repeats::variance() const {
  if (count < 2) return std::nullopt;
  return deviations / static_cast<double>(count - 1);
}

History::History(const Encoding& encoding, bool infeasible_fail)
    : encoding_(encoding),
      order_(Order::maximizing(encoding.space())),
      infeasible_fail_(infeasible_fail),
      codes_(encoding.dimension(), 0),
      excesses_(bounds_of(encoding.space().limits()), 0) {}

void History::asked(TrialId id, const Point& point) { pending_[id] = encoding_.encode(point); }

void History::add(const Trial& trial) {
  pending_.erase(trial.id);
  const Index n = size();
  if (n == codes_.cols()) {
    codes_.conservativeResize(Eigen::NoChange, 2 * n + 16);
    excesses_.conservativeResize(Eigen::NoChange, 2 * n + 16);
  }
  codes_.col(n) = encoding_.encode(trial.point);
  excesses_.col(n) = relative_excesses(encoding_.space().limits(), trial.metrics);
  const Standing standing = order_.standing(trial);
  const bool good = infeasible_fail_ ? standing.is_feasible() : !standing.has_failed();
  values_.push_back(good ? std::clamp(trial.values.front(), -kLargestKept, kLargestKept)
                         : std::numeric_limits<double>::quiet_NaN());
  outcomes_.push_back(good ? Told{trial.values, trial.standard_error} : Told{});
  standings_.push_back(good ? standing : Standing{});
  successes_by_.push_back(success_of(trial));
  ids_.push_back(trial.id);
  successes_ += good;
  add_to_place(n);
}

void History::add_to_place(Index i) {
  const std::optional<Index> known = told_places_.find(code(i));
  if (!known) {
    told_places_.add(code(i), std::ssize(repeats_));
    repeats_.push_back({.first = i});
  }
  place_of_.push_back(known.value_or(std::ssize(repeats_) - 1));
  if (std::isnan(value(i))) return;
  // Welford's update of mean and squared deviations.
  Repeats& there = repeats_[at(place_of_.back())];
  const double from_old = value(i) - there.mean;
  there.mean += from_old / static_cast<double>(++there.count);
  there.deviations += from_old * (value(i) - there.mean);
}

void History::told(std::span<const Trial> finished) {
  std::vector<const Trial*> order;
  for (const Trial& trial : finished) order.push_back(&trial);
  std::ranges::stable_sort(order, {}, &Trial::id);
  for (const Trial* trial : order) add(*trial);
}

void History::restore(std::span<const Trial> history) {
  std::vector<const Trial*> order;
  for (const Trial& trial : history) {
    if (trial.has_ended()) {
      order.push_back(&trial);
    } else {
      asked(trial.id, trial.point);
    }
  }
  std::ranges::stable_sort(
      order, {}, [](const Trial* trial) { return std::tuple(trial->told_in, trial->id); });
  for (const Trial* trial : order) add(*trial);
}

Matrix History::pending() const {
  Matrix X(encoding_.dimension(), static_cast<Index>(pending_.size()));
  Index j = 0;
  for (const auto& [id, x] : pending_) X.col(j++) = x;
  return X;
}

bool History::contains(ConstVectorRef x) const {
  const auto is_here = [&](const auto& entry) {
    return ((entry.second - x).array().abs() <= kSamePlace).all();
  };
  return std::ranges::any_of(pending_, is_here) || told_places_.contains(x);
}

}  // namespace vbo

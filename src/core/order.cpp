// SPDX-License-Identifier: MIT
#include "core/order.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {

Order Order::maximizing(const Space& space, std::size_t objectives) {
  return {std::vector<Objective>(objectives, {.goal = Goal::maximize}), space.limits()};
}

Standing Order::standing(std::span<const double> values, const Metrics& metrics) const {
  if (values.empty() || !std::isfinite(values.front())) return {};
  if (const double outside = violation(limits_, metrics); outside > 0.0) {
    return {Standing::Kind::infeasible, -outside};
  }
  return {Standing::Kind::feasible, gain(values.front())};
}

Standing Order::standing(const Trial& trial) const { return standing(trial.values, trial.metrics); }

Standing Order::standing(const Outcome& outcome) const {
  return standing(outcome.values, outcome.metrics);
}

bool Order::feasible(const Trial& trial) const { return standing(trial).is_feasible(); }

std::partial_ordering Order::compare(const Trial& a, const Trial& b) const {
  const Standing one = standing(a);
  const Standing other = standing(b);
  const bool by_value = one.is_feasible() && other.is_feasible();
  if (objectives_.size() == 1 || !by_value) return one <=> other;
  bool above = false;
  bool below = false;
  for (std::size_t m = 0; m < objectives_.size(); ++m) {
    above = above || gain(a.values[m], m) > gain(b.values[m], m);
    below = below || gain(a.values[m], m) < gain(b.values[m], m);
  }
  if (above && below) return std::partial_ordering::unordered;
  if (above) return std::partial_ordering::greater;
  return below ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::optional<std::size_t> Order::best(std::span<const Trial> trials) const {
  std::optional<std::size_t> best;
  Standing highest;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Standing found = standing(trials[i]);
    if (found.has_failed() || (best && !(found > highest))) continue;
    best = i;
    highest = found;
  }
  return best;
}

std::vector<std::size_t> Order::front(std::span<const Trial> trials) const {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!feasible(trials[i])) continue;
    const auto beaten = [&](std::size_t other) { return better(trials[other], trials[i]); };
    if (std::ranges::any_of(front, beaten)) continue;
    std::erase_if(front, [&](std::size_t other) { return better(trials[i], trials[other]); });
    front.push_back(i);
  }
  return front;
}

}  // namespace vbo

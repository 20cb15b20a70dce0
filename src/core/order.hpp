// SPDX-License-Identifier: MIT
// The order of results: the one place that compares what evaluations came to. Methods, reports, the
// command line and the bindings all ask it.
//   feasible    one objective: the better value is better. Several: a result is better when it is
//               at least as good in all and better in one; otherwise neither is.
//   infeasible  worse than every feasible one; the less violating is better
//   failed      worse than all others, which are equal among themselves
// Immutable: safe to share between threads.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// Where a result of one objective stands. Greater is better; it depends on its own result alone, so
// results may come and be compared in any order.
struct Standing {
  enum class Kind : signed char { failed, infeasible, feasible };
  Kind kind = Kind::failed;
  // feasible: the value in the sign that is maximized; infeasible: minus the violation
  double amount = 0.0;

  bool is_feasible() const { return kind == Kind::feasible; }
  bool has_failed() const { return kind == Kind::failed; }
  auto operator<=>(const Standing&) const = default;
};

class Order {
 public:
  // REQUIRES: an objective.
  Order(std::vector<Objective> objectives, std::span<const Limit> limits)
      : objectives_(std::move(objectives)), limits_(limits.begin(), limits.end()) {}
  // Of trials as methods see them: all objectives are maximized.
  static Order maximizing(const Space& space, std::size_t objectives = 1);

  // REQUIRES: one objective.
  Standing standing(const Trial& trial) const;
  Standing standing(const Outcome& outcome) const;

  // greater: a is better; unordered: neither is, and they are not equal.
  std::partial_ordering compare(const Trial& a, const Trial& b) const;
  bool better(const Trial& a, const Trial& b) const { return compare(a, b) > 0; }
  // Values of the first objective, both feasible.
  bool better(double a, double b) const { return gain(a) > gain(b); }
  bool feasible(const Trial& trial) const;

  // The position of the best trial, the first among equals; nothing where none has values.
  // REQUIRES: one objective.
  std::optional<std::size_t> best(std::span<const Trial> trials) const;
  // The positions of feasible trials that no feasible one is better than, in their order.
  std::vector<std::size_t> front(std::span<const Trial> trials) const;

 private:
  double gain(double value, std::size_t objective = 0) const {
    return objectives_[objective].goal == Goal::minimize ? -value : value;
  }
  Standing standing(std::span<const double> values, const Metrics& metrics) const;

  std::vector<Objective> objectives_;
  std::vector<Limit> limits_;
};

}  // namespace vbo

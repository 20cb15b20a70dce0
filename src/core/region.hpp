// SPDX-License-Identifier: MIT
// What the constraints leave of a box of parameters, and the ways into it. Points are given by unit
// coordinates u, one per parameter, as Axis has them. Everything is deterministic: the same u
// always leads to the same place, so that replaying a study is exact. Immutable: threads may share
// it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/axis.hpp"
#include "core/expression.hpp"
#include "vbo/error.hpp"
#include "vbo/random.hpp"
#include "vbo/space.hpp"

namespace vbo {

// The parameter when only this value of it is left.
Parameter with_one_value(Parameter parameter, const Value& value);

class Region {
 public:
  // An error is "constraint 2, column 9: ..." with field "constraint.2"; one about constraints that
  // no point satisfies together names them. Parameters with a value in `fixed`, which has one place
  // per parameter or none, have that value everywhere. REQUIRES: parameters that Space::make
  // accepts, and values of them.
  static Result<std::shared_ptr<const Region>> make(std::span<const Parameter> parameters,
                                                    std::span<const std::string> constraints,
                                                    const PartialPoint& fixed = {});

  // The error names the first constraint that is violated.
  Result<void> check(const Point& point) const;
  bool contains(std::span<const double> u) const;

  // Moves u, when it is outside, to a point of the region near it, mostly the nearest: for search.
  void repair(std::span<double> u) const;
  // Moves u, when it is outside, to a point anywhere in the region: evenly spread u stay evenly
  // spread over the region.
  void spread(std::span<double> u) const;
  // Takes from numbers, one per parameter as Axis has them, what equalities lack to hold to the
  // last digits. REQUIRES: they are of a point of the region.
  void balance(std::span<double> numbers) const;

 private:
  // Like u, but parameters of an equality are on a linear scale, where equalities are linear.
  using State = std::vector<double>;
  struct Row {  // sum of a[i] * state[i] = b
    State a;
    double b = 0.0;
  };
  class Finder;

  Region(std::span<const Parameter> parameters, std::span<const std::string> texts,
         std::vector<Expression> constraints);

  std::size_t size() const { return axes_.size(); }
  double number_at(std::size_t i, double state) const;
  double state_of(std::size_t i, double number) const;
  State state_from(std::span<const double> u) const;
  // The point the state stands for; false when it violates a constraint.
  bool settle(const State& state, std::span<double> u) const;
  bool contains_state(const State& state) const;
  double violation_of(const Expression& constraint, const State& state) const;
  double violation(const State& state, std::span<const double> scales) const;
  // Rounds discrete parameters and moves the others until the equalities hold, if they can.
  void project(State& state) const;
  void project_discrete(State& state, const Row& row) const;
  void project_direction(State& direction) const;
  // From how much each row lacks to by how much its coefficients take the active parameters there,
  // with the least movement; false when there is no such.
  static bool multipliers(std::span<const Row* const> rows, std::span<const std::size_t> active,
                          std::vector<double>& residual);
  bool close_rows(std::span<double> numbers, std::vector<std::size_t> active) const;
  // One step of a random walk whose limit is the uniform distribution over the region.
  void walk(State& state, Rng& rng) const;
  void walk_continuous(State& state, Rng& rng) const;
  void walk_discrete(State& state, Rng& rng) const;
  State random_state(Rng& rng) const;
  bool push_inside(State& state) const;
  State slope_of(const Expression& constraint, State& state) const;
  std::size_t nearest_anchor(const State& state) const;

  std::vector<Axis> axes_;
  std::vector<bool> unordered_;  // categorical
  std::vector<std::string> texts_;
  std::vector<Expression> constraints_;
  std::vector<bool> linear_;         // on a linear scale: part of an equality
  std::vector<double> low_, width_;  // of real and integer parameters
  std::vector<Row> rows_;
  std::vector<const Expression*> equalities_;  // of each row; in constraints_
  std::vector<std::size_t> continuous_;        // parameters
  std::vector<std::size_t> discrete_;          // with more than one value
  std::vector<State> anchors_;                 // points of the region, evenly spread; never empty
};

}  // namespace vbo

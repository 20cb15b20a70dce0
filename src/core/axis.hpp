// SPDX-License-Identifier: MIT
// One parameter as a coordinate u of [0,1], and as a number: the value itself of real and integer
// parameters, the index of the choice for the others. Every value of a parameter with finitely many
// owns an equal share of [0,1] (of the log-range). Immutable once made.
#pragma once

#include <cstdint>

#include "vbo/space.hpp"

namespace vbo {

// Whether the parameter can have this value, by type and by range.
bool is_value_of(const Parameter& parameter, const Value& value);

class Axis {
 public:
  // REQUIRES: a parameter that Space::make accepts.
  explicit Axis(Parameter parameter);
  // What is wrong with the step, if anything; bounds are finite and in order.
  static Result<void> check_step(const Parameter& parameter);

  bool is_discrete() const { return count_ > 0; }
  std::int64_t count() const { return count_; }  // of values; 0 when there is a continuum

  double number_at(double u) const;         // u is clamped to [0,1] first
  double position_of(double number) const;  // in [0,1], of the middle of the value's share
  double nearest(double number) const;      // the closest number that is a value
  double number_of_index(
      std::int64_t index) const;               // REQUIRES: is_discrete(), 0 <= index < count()
  std::int64_t index_of(double number) const;  // of the nearest; REQUIRES: is_discrete()

  double number_of(const Value& value) const;  // REQUIRES: is_value_of(parameter, value)
  Value value_of(double number) const;         // of the nearest value

 private:
  Parameter parameter_;
  std::int64_t count_ = 0;
  // With a step, value k is (low_ + k * step_) / scale_: whole numbers and a power of ten up to
  // 10^22, so that the quotient is the double closest to the decimal.
  std::int64_t low_ = 0, step_ = 0;
  double scale_ = 1.0;
  // The interval that [0,1] maps to, logarithms of its ends on a log scale. Half a step wider than
  // the values on both sides, so that rounding never favours the inner ones.
  double from_ = 0.0, to_ = 1.0;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "study/finite_space.hpp"

#include <algorithm>

namespace vbo {
namespace {

std::uint64_t values_of(const Parameter& p) {
  if (p.kind == ParameterKind::categorical) return p.choices.size();
  if (p.kind == ParameterKind::real) return 1;  // fixed, or the space were not finite
  return static_cast<std::uint64_t>(p.high - p.low) + 1;
}

std::uint64_t digit_of(const Parameter& p, const Value& value) {
  if (p.kind == ParameterKind::categorical) {
    const auto it = std::find(p.choices.begin(), p.choices.end(), std::get<std::string>(value));
    return static_cast<std::uint64_t>(it - p.choices.begin());
  }
  if (p.kind == ParameterKind::real) return 0;
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value) -
                                    static_cast<std::int64_t>(p.low));
}

Value value_of(const Parameter& p, std::uint64_t digit) {
  if (p.kind == ParameterKind::categorical) return p.choices[digit];
  if (p.kind == ParameterKind::real) return p.low;
  return static_cast<std::int64_t>(p.low) + static_cast<std::int64_t>(digit);
}

}  // namespace

std::optional<FiniteSpace> FiniteSpace::of(const Space& space) {
  const std::optional<double> count = space.cardinality();
  if (!count) return std::nullopt;
  return FiniteSpace(space, static_cast<std::uint64_t>(*count));
}

std::uint64_t FiniteSpace::number_of(const Point& point) const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    number = number * values_of(space_[i]) + digit_of(space_[i], point[i]);
  }
  return number;
}

Point FiniteSpace::point_of(std::uint64_t number) const {
  Point point(space_.size());
  for (std::size_t i = space_.size(); i-- > 0;) {
    const std::uint64_t radix = values_of(space_[i]);
    point[i] = value_of(space_[i], number % radix);
    number /= radix;
  }
  return point;
}

Point FiniteSpace::next_unseen(std::uint64_t start) const {
  std::uint64_t number = start % size_;
  while (seen_.contains(number)) number = (number + 1) % size_;
  return point_of(number);
}

}  // namespace vbo

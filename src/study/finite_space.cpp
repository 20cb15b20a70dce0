// SPDX-License-Identifier: MIT
#include "study/finite_space.hpp"

#include <algorithm>

#include "core/region.hpp"

namespace vbo {
namespace {

// Points of the box up to which those inside the constraints are counted one by one.
constexpr double kMostToCount = 1048576.0;

}  // namespace

FiniteSpace::FiniteSpace(const Space& space, std::uint64_t size) : size_(size) {
  for (const Parameter& p : space.parameters()) axes_.emplace_back(p);
  if (!space.region()) return;
  std::vector<double> u(axes_.size());
  for (std::uint64_t number = 0; number < size; ++number) {
    std::uint64_t rest = number;
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const auto radix = static_cast<std::uint64_t>(axes_[i].count());
      const auto digit = static_cast<std::int64_t>(rest % radix);
      u[i] = axes_[i].position_of(axes_[i].number_of_index(digit));
      rest /= radix;
    }
    if (space.region()->contains(u)) inside_.push_back(number);
  }
  size_ = inside_.size();
}

std::optional<FiniteSpace> FiniteSpace::of(const Space& space) {
  const std::optional<double> count = space.cardinality();
  if (!count || (space.region() && *count > kMostToCount)) return std::nullopt;
  return FiniteSpace(space, static_cast<std::uint64_t>(*count));
}

std::uint64_t FiniteSpace::number_of(const Point& point) const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::int64_t digit = axes_[i].index_of(axes_[i].number_of(point[i]));
    number =
        number * static_cast<std::uint64_t>(axes_[i].count()) + static_cast<std::uint64_t>(digit);
  }
  return number;
}

std::optional<std::uint64_t> FiniteSpace::exact_number_of(const Point& point) const {
  const std::uint64_t number = number_of(point);
  if (point_of(number) != point) return std::nullopt;
  const bool inside = inside_.empty() || std::ranges::binary_search(inside_, number);
  return inside ? std::optional(number) : std::nullopt;
}

Point FiniteSpace::point_of(std::uint64_t number) const {
  Point point(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const auto radix = static_cast<std::uint64_t>(axes_[i].count());
    point[i] =
        axes_[i].value_of(axes_[i].number_of_index(static_cast<std::int64_t>(number % radix)));
    number /= radix;
  }
  return point;
}

Point FiniteSpace::next_unseen(std::uint64_t start) const {
  std::uint64_t place = start % size_;
  const auto number = [&] { return inside_.empty() ? place : inside_[place]; };
  while (seen_.contains(number())) place = (place + 1) % size_;
  return point_of(number());
}

}  // namespace vbo

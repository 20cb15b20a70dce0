// SPDX-License-Identifier: MIT
// A space with finitely many points, each with a number, and the set of those seen so far. Keeps a
// method from suggesting a point twice, and knows when there is nothing left to suggest.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/axis.hpp"
#include "vbo/space.hpp"

namespace vbo {

class FiniteSpace {
 public:
  // nullopt when the space has infinitely many points, or more than 2^53; with constraints, when
  // the box has more than a million.
  static std::optional<FiniteSpace> of(const Space& space);

  std::uint64_t size() const { return size_; }
  std::uint64_t unseen() const { return size_ - seen_.size(); }

  // Mixed-radix number of a point of the box, the last parameter fastest. REQUIRES:
  // space.check(point).
  std::uint64_t number_of(const Point& point) const;
  Point point_of(std::uint64_t number) const;

  bool contains(const Point& point) const { return seen_.contains(number_of(point)); }
  // What lies between its points, because it was really set or measured so, is none of them.
  void insert(const Point& point) {
    if (const auto number = exact_number_of(point)) seen_.insert(*number);
  }
  // The first unseen point at or after the one at place `start` modulo size(). REQUIRES: unseen() >
  // 0.
  Point next_unseen(std::uint64_t start) const;

 private:
  FiniteSpace(const Space& space, std::uint64_t size);
  std::optional<std::uint64_t> exact_number_of(const Point& point) const;
  std::vector<Axis> axes_;
  std::uint64_t size_;
  std::vector<std::uint64_t>
      inside_;  // with constraints: the numbers of the points that satisfy them
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace vbo

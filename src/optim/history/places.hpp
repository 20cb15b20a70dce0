// SPDX-License-Identifier: MIT
// Codes in the unit cube, found again: two codes are the same place when no coordinate differs by
// more than a tolerance. Lookup takes O(log n). Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "numerics/linalg.hpp"

namespace vbo {

// The one tolerance of all methods: rounding from a code to a point and back stays below it.
inline constexpr double kSamePlace = 1e-7;

class Places {
 public:
  using Tag = Eigen::Index;

  // All codes (D) of one object have the same dimension; D = 0 is one place.
  void add(ConstVectorRef code, Tag tag = 0) {
    places_.emplace(project(code), std::pair(Vector(code), tag));
  }
  // The tag of the first one added there; nothing when there is none.
  std::optional<Tag> find(ConstVectorRef code, double tolerance = kSamePlace) const;
  bool contains(ConstVectorRef code, double tolerance = kSamePlace) const {
    return find(code, tolerance).has_value();
  }
  void clear() { places_.clear(); }

 private:
  static double project(ConstVectorRef code);

  // By a fixed projection: codes closer than the tolerance lie in a thin slice of it.
  std::multimap<double, std::pair<Vector, Tag>> places_;
};

}  // namespace vbo

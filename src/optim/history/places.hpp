// SPDX-License-Identifier: MIT
// Codes in the unit cube, found again: two codes are the same place when no coordinate differs by
// more than a tolerance. Adding and finding take constant time. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

// The tolerance of methods that do not need to come closer to a point than this: rounding from a
// code to a point and back stays below it.
inline constexpr double kSamePlace = 1e-7;

class Places {
 public:
  using Tag = Eigen::Index;
  using Index = Eigen::Index;

  explicit Places(double tolerance = kSamePlace) : tolerance_(tolerance) {}

  void reserve(std::size_t places, Index dimension) {
    codes_.reserve(places * static_cast<std::size_t>(dimension));
    entries_.reserve(places);
    cells_.reserve(places);
  }
  // All codes (D) of one object have the same dimension; D = 0 is one place.
  void add(ConstVectorRef code, Tag tag = 0);
  // The smallest tag of those added there; nothing when there is none.
  std::optional<Tag> find(ConstVectorRef code) const;
  bool contains(ConstVectorRef code) const { return find(code).has_value(); }

 private:
  struct Entry {
    Tag tag = 0;
    Index next = -1;  // of the same cell
  };
  static double project(ConstVectorRef code);
  double reach(Index dimension) const;
  std::int64_t cell_of(double projection, Index dimension) const;

  double tolerance_;
  std::vector<double> codes_;  // (D,n)
  std::vector<Entry> entries_;
  // By a fixed projection: codes closer than the tolerance lie in the same cell of it or in
  // neighbouring ones.
  std::unordered_map<std::int64_t, Index> cells_;  // the newest entry of each
};

}  // namespace vbo

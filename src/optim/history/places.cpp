// SPDX-License-Identifier: MIT
#include "optim/history/places.hpp"

#include <cmath>

namespace vbo {

double Places::project(ConstVectorRef code) {
  // Weights that are no multiples of each other, so that different points rarely coincide.
  double sum = 0.0;
  double weight = 0.5;
  for (const double x : code) {
    sum += weight * x;
    weight = weight * 0.6180339887498949 + 0.3;
  }
  return sum;
}

// How far the projection moves within the tolerance, at most: all weights lie in [0.5, 0.79].
double Places::reach(Index dimension) const {
  return 0.8 * static_cast<double>(dimension) * tolerance_ + 1e-12;
}

std::int64_t Places::cell_of(double projection, Index dimension) const {
  return static_cast<std::int64_t>(std::floor(projection / (2.0 * reach(dimension))));
}

void Places::add(ConstVectorRef code, Tag tag) {
  const auto here = static_cast<Index>(entries_.size());
  const auto [cell, is_new] = cells_.try_emplace(cell_of(project(code), code.size()), here);
  entries_.push_back({tag, is_new ? Index{-1} : cell->second});
  cell->second = here;
  codes_.insert(codes_.end(), code.begin(), code.end());
}

std::optional<Places::Tag> Places::find(ConstVectorRef code) const {
  const double centre = project(code), width = reach(code.size());
  std::optional<Tag> found;
  const std::int64_t last = cell_of(centre + width, code.size());
  for (std::int64_t cell = cell_of(centre - width, code.size()); cell <= last; ++cell) {
    const auto newest = cells_.find(cell);
    if (newest == cells_.end()) continue;
    for (Index i = newest->second; i >= 0; i = entries_[static_cast<std::size_t>(i)].next) {
      const Eigen::Map<const Vector> place(codes_.data() + i * code.size(), code.size());
      if (((place - code).array().abs() > tolerance_).any()) continue;
      const Tag tag = entries_[static_cast<std::size_t>(i)].tag;
      if (!found || tag < *found) found = tag;
    }
  }
  return found;
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#pragma once

#include "vbo/random.hpp"
#include "vbo/space.hpp"

namespace vbo::tasks {

inline Point random_point(const Space& space, Rng& rng) {
  Point point;
  for (const Parameter& p : space.parameters()) {
    switch (p.kind) {
      case ParameterKind::real:
        point.emplace_back(rng.uniform(p.low, p.high));
        break;
      case ParameterKind::integer:
        point.emplace_back(
            static_cast<std::int64_t>(p.low) +
            static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(p.high - p.low) + 1)));
        break;
      case ParameterKind::ordinal:
      case ParameterKind::categorical:
        point.emplace_back(p.choices[rng.below(p.choices.size())]);
        break;
    }
  }
  return point;
}

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// The initial design every method of a benchmark starts from: scrambled Sobol points, one
// coordinate per parameter, that depend on the space and the seed alone.
#pragma once

#include <cstdint>
#include <vector>

#include "vbo/space.hpp"

namespace vbo::bench {

std::vector<Point> initial_design(const Space& space, std::int64_t n, std::uint64_t seed);

// The point at u in [0,1)^P, P parameters: real ones affine (in the logarithm where log is set),
// each whole number or choice owning an equal share of [0,1).
Point point_at(const Space& space, const std::vector<double>& u);

}  // namespace vbo::bench

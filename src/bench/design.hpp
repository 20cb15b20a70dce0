// SPDX-License-Identifier: MIT
// The initial design every method of a benchmark starts from: scrambled Sobol points that depend
// on the space and the seed alone, and are none of those a method would draw from the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "vbo/space.hpp"

namespace vbo::bench {

std::vector<Point> initial_design(const Space& space, std::int64_t n, std::uint64_t seed);

}  // namespace vbo::bench

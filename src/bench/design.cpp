// SPDX-License-Identifier: MIT
#include "bench/design.hpp"

#include "optim/design.hpp"
#include "vbo/random.hpp"

namespace vbo::bench {

std::vector<Point> initial_design(const Space& space, std::int64_t n, std::uint64_t seed) {
  const Encoding encoding(space);
  SobolDesign design(encoding, Rng(seed, "benchmark-design")());
  std::vector<Point> points;
  for (std::int64_t i = 0; i < n; ++i) {
    points.push_back(encoding.decode(design.code(static_cast<std::uint64_t>(i))));
  }
  return points;
}

}  // namespace vbo::bench

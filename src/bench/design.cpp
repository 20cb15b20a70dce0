// SPDX-License-Identifier: MIT
#include "bench/design.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>

#include "optim/encoding.hpp"
#include "vbo/random.hpp"

namespace vbo::bench {

Point point_at(const Space& space, const std::vector<double>& u) {
  const Encoding encoding(space);
  Vector x = Vector::Zero(encoding.dimension());
  for (const Encoding::Block& block : encoding.blocks()) {
    const double share = u[block.parameter];
    if (block.kind == ParameterKind::categorical) {
      const auto choice = static_cast<Eigen::Index>(share * static_cast<double>(block.width));
      x[block.offset + std::min(choice, block.width - 1)] = 1.0;
    } else {
      x[block.offset] = share;
    }
  }
  return encoding.decode(x);
}

// A digital shift, x_i XOR r with one random word r per coordinate, keeps the net property of the
// Sobol points and makes each of them uniform. Boost leaves out the first point of the sequence,
// zero, without which the first 2^k points are not balanced.
std::vector<Point> initial_design(const Space& space, std::int64_t n, std::uint64_t seed) {
  const std::size_t parameters = space.size();
  boost::random::sobol sequence(parameters);
  Rng rng(seed, "benchmark-design");
  std::vector<std::uint64_t> shift(parameters);
  for (std::uint64_t& word : shift) word = rng();
  std::vector<Point> points;
  std::vector<double> u(parameters);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < parameters; ++p) {
      u[p] = static_cast<double>(((i == 0 ? 0 : sequence()) ^ shift[p]) >> 11) * 0x1p-53;
    }
    points.push_back(point_at(space, u));
  }
  return points;
}

}  // namespace vbo::bench

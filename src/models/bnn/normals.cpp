// SPDX-License-Identifier: MIT
#include "models/bnn/normals.hpp"

#include <algorithm>
#include <numbers>

namespace vbo {

void fill_normals(Rng& rng, VectorRef out) {
  constexpr Eigen::Index block = 256;  // words: their arrays stay in the first-level cache
  using Floats = Eigen::Array<float, block, 1>;
  Floats radius, angle;
  for (Eigen::Index begin = 0; begin < out.size(); begin += 2 * block) {
    // Two normals per word; the last block draws only the words it needs.
    const Eigen::Index n = std::min(2 * block, out.size() - begin), words = (n + 1) / 2;
    radius.setOnes();
    angle.setZero();
    for (Eigen::Index i = 0; i < words; ++i) {
      const std::uint64_t word = rng();
      // (0,1] for the logarithm, [0,1) for the angle
      radius[i] = (static_cast<float>(static_cast<std::uint32_t>(word)) + 0.5F) * 0x1.0p-32F;
      angle[i] = static_cast<float>(static_cast<std::uint32_t>(word >> 32)) * 0x1.0p-32F;
    }
    // sqrt(-2 ln u) (cos, sin)(2 pi v)
    radius = (-2.0F * radius.min(1.0F).log()).sqrt();
    angle *= 2.0F * std::numbers::pi_v<float>;
    const Floats cosine = radius * angle.cos(), sine = radius * angle.sin();
    out.segment(begin, words) = cosine.head(words).cast<double>();
    out.segment(begin + words, n - words) = sine.head(n - words).cast<double>();
  }
}

}  // namespace vbo

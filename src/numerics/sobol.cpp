// SPDX-License-Identifier: MIT
#include "numerics/sobol.hpp"

#include <algorithm>
#include <bit>
#include <boost/random/sobol.hpp>
#include <cassert>

#include "core/normal.hpp"

namespace vbo {
namespace {

constexpr int kBits = 64;

// The middle of the cell of width 2^-52 that holds these bits: never 0, never 1, exact in a double.
double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1.0p-52; }

// Direction number r of every dimension. Boost's engine at `seed(n)` stands at the point whose Gray
// code is that of n+1; the Gray code of 2^(r+1) - 1 is 2^r, so that point is v_r itself.
void read_directions(int dimensions, std::vector<std::uint64_t>& out) {
  boost::random::sobol engine(static_cast<std::size_t>(dimensions));
  for (int r = 0; r < kBits - 1; ++r) {
    engine.seed((std::uint64_t{2} << r) - 2);
    for (int d = 0; d < dimensions; ++d) {
      out[static_cast<std::size_t>(d) * kBits + static_cast<std::size_t>(r)] = engine();
    }
  }
}

// Multiplies by the bit matrix: bit b (from the top) of the result is the parity of rows[b] & bits.
std::uint64_t multiply(const std::array<std::uint64_t, kBits>& rows, std::uint64_t bits) {
  std::uint64_t result = 0;
  for (const std::uint64_t row : rows) {
    result = (result << 1) | static_cast<std::uint64_t>(std::popcount(row & bits) & 1);
  }
  return result;
}

// Row b: ones on the diagonal, random bits above it in significance, zeros below.
std::array<std::uint64_t, kBits> random_lower_triangle(Rng& rng) {
  std::array<std::uint64_t, kBits> rows{};
  for (int b = 0; b < kBits; ++b) {
    const std::uint64_t diagonal = std::uint64_t{1} << (kBits - 1 - b);
    const std::uint64_t more_significant = ~(diagonal | (diagonal - 1));
    rows[static_cast<std::size_t>(b)] = diagonal | (rng() & more_significant);
  }
  return rows;
}

}  // namespace

int SobolSequence::max_dimension() {
  return static_cast<int>(boost::random::default_sobol_table::max_dimension);
}

SobolSequence::SobolSequence(int dimension, Rng rng) : SobolSequence(dimension, rng, true) {}

SobolSequence SobolSequence::unscrambled(int dimension) { return {dimension, Rng(0), false}; }

SobolSequence::SobolSequence(int dimension, Rng rng, bool scramble)
    : dimension_(dimension), sobol_dimensions_(std::min(dimension, max_dimension())) {
  assert(dimension >= 1);
  const auto dims = static_cast<std::size_t>(sobol_dimensions_);
  directions_.resize(dims * kBits);
  shift_.resize(dims);
  read_directions(sobol_dimensions_, directions_);
  if (scramble) {
    tail_key_ = rng();
    for (std::size_t d = 0; d < dims; ++d) {
      const auto rows = random_lower_triangle(rng);
      for (std::size_t r = 0; r < kBits; ++r) {
        std::uint64_t& v = directions_[d * kBits + r];
        v = multiply(rows, v);
      }
      shift_[d] = rng();
    }
  }
  state_ = shift_;
}

void SobolSequence::skip_to(std::uint64_t index) {
  index_ = index;
  const std::uint64_t gray = index ^ (index >> 1);
  for (std::size_t d = 0; d < state_.size(); ++d) {
    std::uint64_t bits = shift_[d];
    for (std::uint64_t rest = gray; rest != 0; rest &= rest - 1) {
      bits ^= directions_[d * kBits + static_cast<std::size_t>(std::countr_zero(rest))];
    }
    state_[d] = bits;
  }
}

void SobolSequence::next(std::span<double> point) {
  assert(point.size() == static_cast<std::size_t>(dimension_));
  const std::size_t dims = state_.size();
  // Gray codes of neighbours differ in one bit: the lowest zero of the index.
  const auto flipped = static_cast<std::size_t>(std::countr_one(index_));
  for (std::size_t d = 0; d < dims; ++d) {
    point[d] = to_unit(state_[d]);
    state_[d] ^= directions_[d * kBits + std::min<std::size_t>(flipped, kBits - 1)];
  }
  for (std::size_t d = dims; d < point.size(); ++d) {
    Rng rng(tail_key_, "sobol-tail", d);
    rng.seek(index_);
    point[d] = to_unit(rng());
  }
  ++index_;
}

Matrix SobolSequence::draw(int n) {
  Matrix points(dimension_, n);
  for (int i = 0; i < n; ++i) {
    next({points.col(i).data(), static_cast<std::size_t>(dimension_)});
  }
  return points;
}

Matrix SobolSequence::draw_normal(int n) {
  return draw(n).unaryExpr([](double u) { return normal_quantile(u); });
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Compiled without fused multiply-add, so that every machine gets NumPy's bits.
#include "tasks/numpy_random.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace vbo::tasks {

double NumpyLegacyRandom::uniform() {
  const auto high = static_cast<double>(engine_() >> 5);
  const auto low = static_cast<double>(engine_() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double NumpyLegacyRandom::exponential() { return -std::log(1.0 - uniform()); }

// Marsaglia's polar method.
double NumpyLegacyRandom::normal() {
  if (has_kept_normal_) {
    has_kept_normal_ = false;
    return kept_normal_;
  }
  double v1, v2, r;
  do {
    v1 = 2.0 * uniform() - 1.0;
    v2 = 2.0 * uniform() - 1.0;
    r = v1 * v1 + v2 * v2;
  } while (r >= 1.0 || r == 0.0);
  const double f = std::sqrt(-2.0 * std::log(r) / r);
  kept_normal_ = f * v1;
  has_kept_normal_ = true;
  return f * v2;
}

// Marsaglia and Tsang 2000.
double NumpyLegacyRandom::gamma(double shape) {
  if (shape == 1.0) return exponential();
  const double b = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * b);
  while (true) {
    double x, v;
    do {
      x = normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = uniform();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1.0 - v + std::log(v))) return b * v;
  }
}

double NumpyLegacyRandom::beta(double a, double b) {
  if (a <= 1.0 && b <= 1.0) {  // Johnk
    while (true) {
      const double x = std::pow(uniform(), 1.0 / a);
      const double y = std::pow(uniform(), 1.0 / b);
      if (x + y <= 1.0 && x + y > 0.0) return x / (x + y);
    }
  }
  const double first = gamma(a);
  return first / (first + gamma(b));
}

NumpyPcg64::NumpyPcg64(std::uint32_t seed) {
  // SeedSequence (O'Neill's seed_seq_fe): a hash of the seed into a pool of four words ...
  std::uint32_t hash = 0x43b0d7e5U;
  const auto mixed_in = [&hash](std::uint32_t v) {
    v ^= hash;
    hash *= 0x931e8875U;
    v *= hash;
    return v ^ (v >> 16);
  };
  const auto mix = [](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t r = 0xca01f9ddU * x - 0x4973f715U * y;
    return r ^ (r >> 16);
  };
  std::array<std::uint32_t, 4> pool{};
  pool[0] = mixed_in(seed);
  for (std::size_t i = 1; i < 4; ++i) pool[i] = mixed_in(0);
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      if (from != to) pool[to] = mix(pool[to], mixed_in(pool[from]));
    }
  }
  // ... and from it eight words of output, joined to four of 64 bits, low half first.
  std::array<std::uint64_t, 4> words{};
  hash = 0x8b51f9ddU;
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint32_t v = pool[i % 4] ^ hash;
    hash *= 0x58f38dedU;
    v *= hash;
    v ^= v >> 16;
    words[i / 2] |= static_cast<std::uint64_t>(v) << (32 * (i % 2));
  }
  increment_ = ((static_cast<Word>(words[2]) << 64 | words[3]) << 1) | 1;
  advance();
  state_ += static_cast<Word>(words[0]) << 64 | words[1];
  advance();
}

void NumpyPcg64::advance() {
  constexpr Word multiplier =
      static_cast<Word>(0x2360ed051fc65da4ULL) << 64 | 0x4385df649fccf645ULL;
  state_ = state_ * multiplier + increment_;
}

std::uint64_t NumpyPcg64::next() {
  advance();
  const auto high = static_cast<std::uint64_t>(state_ >> 64);
  return std::rotr(high ^ static_cast<std::uint64_t>(state_), static_cast<int>(high >> 58));
}

double NumpyPcg64::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double NumpyPcg64::uniform(double low, double high) { return low + (high - low) * uniform(); }

}  // namespace vbo::tasks

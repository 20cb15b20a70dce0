// SPDX-License-Identifier: MIT
// Random numbers that mean the same everywhere: Philox4x32-10, a counter-based generator, with own
// uniform and normal transforms (the standard library's differ between vendors).
// A stream is named by (seed, purpose, id): two parts of the program never share one by accident,
// and the numbers of one trial do not depend on how many others were drawn.
// Stability: a minor version of 0.x may change it.
// Threads: a generator belongs to one thread; copies are cheap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace vbo {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::string_view purpose = {}, std::uint64_t id = 0);

  // Uniform over all 64-bit words. Also makes Rng a standard UniformRandomBitGenerator.
  std::uint64_t operator()();
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  double uniform();                        // [0, 1), 53 bits
  double uniform(double low, double high)  // [low, high)
  {
    return low + (high - low) * uniform();
  }
  double normal();                           // N(0,1); one uniform each, by the inverse CDF
  std::uint64_t below(std::uint64_t bound);  // {0, ..., bound-1}, unbiased. REQUIRES: bound > 0
  std::vector<std::size_t> permutation(std::size_t n);  // of 0..n-1

  template <class T>
  void shuffle(std::span<T> items) {  // Fisher-Yates
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  // How many 64-bit words were drawn; seek() continues from there. Together with the name of the
  // stream this is the whole state, so a snapshot stores one integer.
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position);

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 2> block_{};  // words 2*(position/2) and the next
};

// One block of Philox4x32-10: 128 random bits from a 128-bit counter and a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

}  // namespace vbo

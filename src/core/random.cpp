// SPDX-License-Identifier: MIT
#include "vbo/random.hpp"

#include <numeric>

#include "core/normal.hpp"

namespace vbo {
namespace {

// Finalizer of SplitMix64: spreads the bits of a stream's name.
std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t hash_name(std::string_view text) {  // FNV-1a
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> k) {
  // Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", ten rounds.
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += 0x9E3779B9U;
    k[1] += 0xBB67AE85U;
  }
  return c;
}

Rng::Rng(std::uint64_t seed, std::string_view purpose, std::uint64_t id)
    : seed_(seed), stream_(mix64(hash_name(purpose) + mix64(id + 0x9e3779b97f4a7c15ULL))) {}

void Rng::refill() {
  const std::uint64_t index = position_ / 2;
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const auto out =
      philox4x32({low(index), high(index), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
  block_ = {std::uint64_t{out[1]} << 32 | out[0], std::uint64_t{out[3]} << 32 | out[2]};
}

std::uint64_t Rng::operator()() {
  if (position_ % 2 == 0) refill();
  return block_[position_++ % 2];
}

void Rng::seek(std::uint64_t position) {
  position_ = position;
  if (position_ % 2 == 1) refill();
}

double Rng::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

double Rng::normal() {
  // The half step keeps the argument inside (0,1), so the result is always finite.
  return normal_quantile((static_cast<double>((*this)() >> 12) + 0.5) * 0x1.0p-52);
}

std::uint64_t Rng::below(std::uint64_t bound) {
  // Lemire 2019: multiply, and reject the few words that would make some results more likely.
  __extension__ using u128 = unsigned __int128;
  u128 product = static_cast<u128>((*this)()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<u128>((*this)()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::vector<std::size_t> Rng::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span<std::size_t>(order));
  return order;
}

}  // namespace vbo

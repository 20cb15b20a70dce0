// SPDX-License-Identifier: MIT
// The random numbers of NumPy, bit for bit, for tasks whose definition fixes NumPy seeds.
// Everything else in vbo draws from vbo::Rng.
#pragma once

#include <cstdint>
#include <random>

namespace vbo::tasks {

// numpy.random.RandomState(seed): Mersenne Twister with the frozen legacy distributions.
class NumpyLegacyRandom {
 public:
  explicit NumpyLegacyRandom(std::uint32_t seed) : engine_(seed) {}

  double uniform();  // [0, 1)
  double exponential();
  double normal();
  double gamma(double shape);       // REQUIRES: shape >= 1
  double beta(double a, double b);  // REQUIRES: a == 1, or b == 1, or both > 1

 private:
  std::mt19937 engine_;
  double kept_normal_ = 0.0;  // the polar method makes two at a time
  bool has_kept_normal_ = false;
};

// numpy.random.default_rng(seed): PCG64 (XSL-RR 128/64) seeded through SeedSequence.
class NumpyPcg64 {
 public:
  explicit NumpyPcg64(std::uint32_t seed);

  std::uint64_t next();
  double uniform();  // [0, 1)
  double uniform(double low,
                 double high);  // not inline: must not be compiled with fused operations

 private:
  __extension__ using Word = unsigned __int128;
  void advance();

  Word state_ = 0, increment_ = 0;
};

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// Scrambled Sobol points: low discrepancy like Sobol's, random like uniform draws, and the same
// for the same seed. Direction numbers of Joe and Kuo (2008) from Boost.Random; scrambled by a
// random lower-triangular bit matrix and a digital shift per dimension (Matousek 1998), which keeps
// every net property: any 2^k consecutive points from a multiple of 2^k on have exactly one
// point in each interval of length 2^-k, in each dimension. Not thread-safe; copies are
// independent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"

namespace vbo {

class SobolSequence {
 public:
  // The scrambling is drawn from `rng`, or from Rng(seed, "sobol"). Dimensions beyond
  // max_dimension() have no direction numbers and are filled with independent uniform numbers.
  // REQUIRES: dimension >= 1.
  SobolSequence(int dimension, Rng rng);
  SobolSequence(int dimension, std::uint64_t seed) : SobolSequence(dimension, Rng(seed, "sobol")) {}
  // The plain sequence (first point near the origin), for reference.
  static SobolSequence unscrambled(int dimension);

  static int max_dimension();
  int dimension() const { return dimension_; }

  // The next point is number index(), counted from 0; skip_to() jumps anywhere.
  std::uint64_t index() const { return index_; }
  void skip_to(std::uint64_t index);

  // Fills `point` (D); every coordinate is strictly inside (0,1).
  void next(std::span<double> point);
  Matrix draw(int n);         // (D,n) in (0,1)
  Matrix draw_normal(int n);  // (D,n), each coordinate mapped by the normal quantile

 private:
  SobolSequence(int dimension, Rng rng, bool scramble);

  int dimension_;
  int sobol_dimensions_;  // min(dimension, max_dimension())
  std::uint64_t index_ = 0;
  std::uint64_t tail_key_ = 0;  // names the streams of the dimensions beyond
  std::vector<std::uint64_t>
      directions_;                    // (sobol dimensions, 64): scrambled v_r of each dimension
  std::vector<std::uint64_t> state_;  // (sobol dimensions): bits of point index_
  std::vector<std::uint64_t> shift_;  // (sobol dimensions): bits of point 0
};

}  // namespace vbo

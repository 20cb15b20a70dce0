// SPDX-License-Identifier: MIT
// How the unbounded genotype g that CMA-ES samples becomes a code x in the unit cube, and what a
// discrete coordinate needs so that it never freezes. Immutable: may be shared between threads.
#pragma once

#include "optim/encoding.hpp"

namespace vbo::cmaes {

class Box {
 public:
  explicit Box(const Encoding& encoding);

  // Real coordinates: the identity on [m, 1-m], m = 0.05; within m of a bound a parabola that
  // reaches the bound with slope zero at distance m outside; mirrored beyond. An objective that is
  // linear towards a bound thus looks quadratic there, and CMA-ES converges onto the bound as fast
  // as into the interior. Discrete coordinates pass unchanged.
  Vector to_code(ConstVectorRef genotype) const;
  Vector slope(ConstVectorRef genotype) const;  // (D) d code / d genotype, coordinate by coordinate
  // The genotype nearest the interior that to_code() maps to x (D).
  Vector from_code(ConstVectorRef x) const;

  // Keeps the discrete coordinates of the mean inside the cube, where their cells are.
  void confine(VectorRef mean) const;

  // (D) The least standard deviation per coordinate: 0 for a real one; for a discrete parameter
  // what makes it leave the cell of the mean with probability min(0.1, 1/(2 k)), k = number of
  // discrete parameters, even once sigma is small. Same purpose as the margin of [Hamano2022],
  // "CMA-ES with Margin", GECCO 2022.
  Vector least_deviations(ConstVectorRef mean) const;

  bool is_real() const { return discrete_ == 0; }
  bool is_discrete() const { return discrete_ == encoding_.blocks().size(); }

 private:
  double cell_half_width(const Encoding::Block& block, ConstVectorRef mean) const;

  const Encoding& encoding_;
  std::size_t discrete_ = 0;  // parameters
};

}  // namespace vbo::cmaes

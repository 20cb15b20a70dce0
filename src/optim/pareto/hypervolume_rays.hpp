// SPDX-License-Identifier: MIT
// The hypervolume of M objectives that are maximized, above a reference r, by random hypervolume
// scalarizations [ZhangGolovin2020, "Random Hypervolume Scalarizations for Provable Multi-Objective
// Black Box Optimization"]: with directions l evenly on the positive part of the unit sphere,
//   s_l(y) = min_m max(0, y_m - r_m) / l_m,   hypervolume(Y) = c_M E_l[ max_y s_l(y)^M ]
// How far the set reaches along each of S directions is all that is kept: adding a point, and what
// a point would add, takes O(S M) whatever the number of points. Not thread-safe; const calls are.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo::pareto {

class HypervolumeRays {
 public:
  HypervolumeRays(Eigen::Index objectives, Eigen::Index rays, std::uint64_t seed);

  static Eigen::Index rays_for(Eigen::Index objectives);  // S that is fine enough in practice

  // H (M,n), heights above the reference.
  void add(ConstMatrixRef H);
  // What a point at h (M) would add, up to c_M.
  double gain(ConstVectorRef h) const;
  // The mean over points H (M,n).
  double mean_gain(ConstMatrixRef H) const;
  double volume() const;  // of all added; c_M included

 private:
  auto reach(ConstVectorRef h) const;

  Matrix inverse_;   // (S,M): 1 / l
  Vector attained_;  // (S): max_y s_l(y)^M
};

}  // namespace vbo::pareto

// SPDX-License-Identifier: MIT
// A downward quadratic around the origin, as a part of a Gaussian process's mean:
//   b(u) = t / (1 + t / bound),   t = sum_j weights_j u_j^2
// Of a place it knows nothing about a process with a constant mean expects what it has seen on
// average. Where it has seen the surroundings of a good point alone, that is far too much: its
// improvements would be anywhere but there. With c + s b(u), s <= 0, it expects less the farther
// away, down to c + s bound. Immutable once made: may be shared between threads.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

struct QuadraticMean {
  Vector weights = {};   // (D), >= 0; empty: there is none
  double bound = 100.0;  // of b, > 0

  bool empty() const { return weights.size() == 0; }
  Vector at(ConstMatrixRef U) const;                           // b (q) of U (D,q)
  Matrix pullback(ConstMatrixRef U, ConstVectorRef db) const;  // dL/dU (D,q) from dL/db (q)
};

}  // namespace vbo

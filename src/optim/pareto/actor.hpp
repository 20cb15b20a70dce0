// SPDX-License-Identifier: MIT
// A Gaussian actor for one trade-off: N(m, sigma^2 C) over the numeric coordinates, which begins at
// a good result and is updated by generations of CMA-ES on what models predict. It lives for one
// round. Not thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "optim/cmaes/box.hpp"
#include "optim/cmaes/strategy.hpp"
#include "optim/encoding.hpp"
#include "vbo/random.hpp"

namespace vbo::pareto {

// The real and integer parameters of a space, in which actors move.
class NumericPart {
 public:
  explicit NumericPart(const Encoding& encoding);

  Eigen::Index dimension() const { return std::ssize(coordinates_); }  // Dn
  const std::vector<Eigen::Index>& coordinates() const { return coordinates_; }
  const cmaes::Box& box() const { return box_; }
  Vector of(ConstVectorRef code) const;                        // (D) -> (Dn)
  Vector put(ConstVectorRef part, ConstVectorRef code) const;  // `code` (D) with this numeric part

 private:
  std::vector<Eigen::Index> coordinates_;
  Encoding numeric_;
  cmaes::Box box_;
};

class Actor {
 public:
  // Begins at `code` (D) with standard deviation `sigma`, in widths of the box.
  // REQUIRES: numeric coordinates.
  Actor(const NumericPart& part, Vector code, double sigma);

  // One generation of `population` draws; score(X) is what is maximized (n) at codes X (D,n).
  // Returns the codes.
  Matrix advance(const std::function<Vector(ConstMatrixRef X)>& score, int population, Rng& rng);
  Vector mean() const;  // as a code (D)

 private:
  const NumericPart& part_;
  Vector code_;
  cmaes::Strategy strategy_;
};

}  // namespace vbo::pareto

// SPDX-License-Identifier: MIT
// Inputs of the Gaussian process: codes as they are or, once there are more results than it can be
// fitted to, a window around the local search. In the window numeric parameters are in the local
// coordinates of that search,
//   u = s A (x - mu),   A and mu as in local_coordinates.hpp,
// and categories as they are. Over the whole box, a narrow basin would need length-scales beyond
// their bounds, and the GP would predict nothing. In local coordinates the remaining problem is
// round, smooth and of unit size, however narrow and tilted the search; less so at the border of
// the box, where the search's own coordinates are bent and A is not (cmaes/box.hpp). Immutable once
// made: may be shared between threads.
#pragma once

#include <vector>

#include "models/gp/quadratic_mean.hpp"
#include "numerics/linalg.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"

namespace vbo {

class GpWindow {
 public:
  GpWindow() = default;  // as they are
  // Near; codes (D). REQUIRES: there are numeric parameters, and the coordinates has a near window.
  GpWindow(const LocalCoordinates& coordinates, Eigen::Index dimension);

  bool is_near() const { return map_.size() > 0; }
  Matrix operator()(ConstMatrixRef X) const;  // codes X (D,q) -> U (D,q)
  Matrix pullback(ConstMatrixRef dU) const;   // dL/dX (D,q) from dL/dU (D,q)
  // Root-mean-square of A (x - mu) over the numeric parameters, 0 without a window.
  Vector distance(ConstMatrixRef X) const;  // (q)
  // Prior mean of a GP in the window; empty without one.
  QuadraticMean quadratic_mean() const;

 private:
  Matrix numeric_of(ConstMatrixRef X) const;  // of u (Dn,q)

  std::vector<Eigen::Index> numeric_;  // coordinates of the Dn numeric parameters
  Eigen::Index dimension_ = 0;         // D
  Matrix map_;                         // s A (Dn,Dn)
  Vector centre_;                      // mu (Dn)
};

}  // namespace vbo

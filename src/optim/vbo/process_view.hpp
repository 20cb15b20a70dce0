// SPDX-License-Identifier: MIT
// Codes as the Gaussian process sees them: as they are, or, once there are more results than it can
// learn from, near the local search. Then numbers are seen in that search's frame,
//   u = s A (x - mu),   A and mu as in frame.hpp,
// and categories as they are. In the whole box the process of a search that has narrowed would have
// to learn a needle in a plain: its length-scales end at their bounds and it predicts nothing. In
// the frame what is left of the problem is round, smooth and of one size, however narrow and tilted
// the search; less so at the border of the box, where a search's own coordinates are bent and A is
// not (cmaes/box.hpp). Immutable once made: may be shared between threads.
#pragma once

#include <vector>

#include "models/gp/hill.hpp"
#include "numerics/linalg.hpp"
#include "optim/vbo/frame.hpp"

namespace vbo {

class ProcessView {
 public:
  ProcessView() = default;  // as they are
  // Near; codes (D). REQUIRES: there are numbers, and the frame has a near view.
  ProcessView(const Frame& frame, Eigen::Index dimension);

  bool is_near() const { return map_.size() > 0; }
  Matrix operator()(ConstMatrixRef X) const;  // codes X (D,q) -> U (D,q)
  Matrix pullback(ConstMatrixRef dU) const;   // dL/dX (D,q) from dL/dU (D,q)
  // Root-mean-square of A (x - mu) over the numbers, 0 where codes are seen as they are.
  Vector distance(ConstMatrixRef X) const;  // (q)
  // What a process near the search expects of places it knows nothing about; empty elsewhere.
  Hill hill() const;

 private:
  Matrix numbers_of(ConstMatrixRef X) const;  // of u (Dn,q)

  std::vector<Eigen::Index> numbers_;  // coordinates of the Dn numbers
  Eigen::Index dimension_ = 0;         // D
  Matrix map_;                         // s A (Dn,Dn)
  Vector centre_;                      // mu (Dn)
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Small data for the model tests.
#pragma once

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"

namespace vbo::testing {

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, Rng& rng) {  // U(0,1)
  Matrix M(rows, cols);
  for (double& v : M.reshaped()) v = rng.uniform();
  return M;
}

// Four points in the plane with the hyper-parameters used by the published reference values.
struct SmallData {
  Matrix X{{0.1, 0.4, 0.8, 0.6}, {0.2, 0.9, 0.3, 0.7}};
  Vector y{{0.5, -1.2, 0.3, 1.0}};
  Matrix at{{0.3, 0.7}, {0.5, 0.4}};  // two points to predict at
};

}  // namespace vbo::testing

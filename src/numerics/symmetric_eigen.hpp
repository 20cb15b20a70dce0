// SPDX-License-Identifier: MIT
// A = V diag(values) V^T of a symmetric matrix. One compiled home for Eigen's solver, which takes
// the compiler seconds wherever its header is included. Never throws on a bad matrix: `ok` says so.
// Thread-safe: no state.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

struct SymmetricEigen {
  Vector values;   // (n), ascending
  Matrix vectors;  // (n,n), one per column, orthonormal
  // false: not finite, or the iteration did not converge. Then `values` is the diagonal of A and
  // `vectors` the identity, so that shapes hold.
  bool ok = false;

  explicit operator bool() const { return ok; }
};

// Reads the lower triangle of A (n,n).
SymmetricEigen symmetric_eigen(ConstMatrixRef A);
// The values alone, several times faster; the diagonal of A when it failed.
Vector symmetric_eigenvalues(ConstMatrixRef A);

}  // namespace vbo

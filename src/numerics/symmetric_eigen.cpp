// SPDX-License-Identifier: MIT
#include "numerics/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace vbo {
namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Matrix>;

// The iteration need not end on a matrix with NaN in it.
bool finite_below_diagonal(ConstMatrixRef A) {
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    if (!A.col(j).tail(A.rows() - j).allFinite()) return false;
  }
  return true;
}

}  // namespace

SymmetricEigen symmetric_eigen(ConstMatrixRef A) {
  if (finite_below_diagonal(A)) {
    const Solver solver(A);
    if (solver.info() == Eigen::Success) {
      return {solver.eigenvalues(), solver.eigenvectors(), true};
    }
  }
  return {A.diagonal(), Matrix::Identity(A.rows(), A.cols()), false};
}

Vector symmetric_eigenvalues(ConstMatrixRef A) {
  if (finite_below_diagonal(A)) {
    const Solver solver(A, Eigen::EigenvaluesOnly);
    if (solver.info() == Eigen::Success) return solver.eigenvalues();
  }
  return A.diagonal();
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Cholesky factors of covariance matrices that may be singular to working precision, and the
// derivative of the factor. Never throws on a bad matrix: a failed factorization is a normal
// return, and says so. Thread-safe: no state.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

template <class T>
struct CholeskyOf {
  MatrixOf<T> L;    // (n,n) lower triangle of A + jitter I = L L^T; the strict upper part is zero
  T jitter = 0;     // what was added to the diagonal, 0 when the plain factorization worked
  bool ok = false;  // false: not positive definite even with the largest jitter, or not finite

  explicit operator bool() const { return ok; }
  // log det(A + jitter I). REQUIRES: ok.
  T log_determinant() const { return 2 * L.diagonal().array().log().sum(); }
  // (A + jitter I)^{-1} B, B (n,m). REQUIRES: ok.
  MatrixOf<T> solve(const Eigen::Ref<const MatrixOf<T>>& B) const;
};
using Cholesky = CholeskyOf<double>;

// Factors the symmetric A (n,n), reading its lower triangle. Tries plainly, then adds
// scale * 1e-8, 1e-7, 1e-6 (double) or scale * 1e-6, 1e-5, 1e-4 (float) to the diagonal.
// `scale` is the size of a typical diagonal entry; raise it for matrices far from unit variance.
CholeskyOf<double> safe_cholesky(const Eigen::Ref<const MatrixOf<double>>& A, double scale = 1.0);
CholeskyOf<float> safe_cholesky(const Eigen::Ref<const MatrixOf<float>>& A, float scale = 1.0F);

// The same into an existing object: allocates nothing when `out` already has the size. Returns ok.
bool safe_cholesky(const Eigen::Ref<const MatrixOf<double>>& A, CholeskyOf<double>& out,
                   double scale = 1.0);
bool safe_cholesky(const Eigen::Ref<const MatrixOf<float>>& A, CholeskyOf<float>& out,
                   float scale = 1.0F);

// Back-propagates through A = L L^T. Given L and L_bar = df/dL (its lower triangle is read),
// returns the symmetric A_bar with df = sum_ij A_bar_ij dA_ij over all i, j (Murray 2016,
// section 3.3):
//   P = Phi(L^T L_bar), Phi keeps the lower triangle and halves the diagonal
//   A_bar = 1/2 L^{-T} (P + P^T) L^{-1}
Matrix cholesky_adjoint(ConstMatrixRef L, ConstMatrixRef L_bar);

}  // namespace vbo

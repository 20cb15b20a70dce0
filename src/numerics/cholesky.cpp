// SPDX-License-Identifier: MIT
#include "numerics/cholesky.hpp"

#include <Eigen/Cholesky>
#include <array>
#include <type_traits>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

// Column j costs 1 root, n-j-1 divisions and (n-j)(n-j-1) operations in the trailing triangle.
std::uint64_t factor_flops(Eigen::Index n) {
  const auto m = static_cast<std::uint64_t>(n);
  return m * (m + 1) * (2 * m + 1) / 6;
}

// Factors A + jitter I into L; false when a pivot is not a positive finite number.
template <class T>
bool try_factor(const Eigen::Ref<const MatrixOf<T>>& A, T jitter, MatrixOf<T>& L) {
  L = A;
  L.diagonal().array() += jitter;
  flops::add(factor_flops(L.rows()));
  const Eigen::LLT<Eigen::Ref<MatrixOf<T>>> factor(L);
  // Eigen stops at a negative pivot but lets NaN pass, hence the second test.
  if (factor.info() != Eigen::Success || !L.diagonal().allFinite()) return false;
  L.template triangularView<Eigen::StrictlyUpper>().setZero();
  return L.allFinite();
}

template <class T>
bool factor_with_ladder(const Eigen::Ref<const MatrixOf<T>>& A, CholeskyOf<T>& out, T scale) {
  const T first = std::is_same_v<T, float> ? T(1e-6) : T(1e-8);
  const std::array<T, 4> ladder{T(0), first * scale, 10 * first * scale, 100 * first * scale};
  out.ok = false;
  out.jitter = 0;
  if (A.rows() != A.cols()) return false;
  for (const T jitter : ladder) {
    out.jitter = jitter;
    out.ok = try_factor<T>(A, jitter, out.L);
    if (out.ok) break;
  }
  return out.ok;
}

}  // namespace

template <class T>
MatrixOf<T> CholeskyOf<T>::solve(const Eigen::Ref<const MatrixOf<T>>& B) const {
  MatrixOf<T> X = L.template triangularView<Eigen::Lower>().solve(B);
  L.transpose().template triangularView<Eigen::Upper>().solveInPlace(X);
  flops::add(flops::gemm(L.rows(), B.cols(), L.rows()));
  return X;
}

template struct CholeskyOf<float>;
template struct CholeskyOf<double>;

bool safe_cholesky(const Eigen::Ref<const MatrixOf<double>>& A, CholeskyOf<double>& out,
                   double scale) {
  return factor_with_ladder<double>(A, out, scale);
}
bool safe_cholesky(const Eigen::Ref<const MatrixOf<float>>& A, CholeskyOf<float>& out,
                   float scale) {
  return factor_with_ladder<float>(A, out, scale);
}
CholeskyOf<double> safe_cholesky(const Eigen::Ref<const MatrixOf<double>>& A, double scale) {
  CholeskyOf<double> out;
  safe_cholesky(A, out, scale);
  return out;
}
CholeskyOf<float> safe_cholesky(const Eigen::Ref<const MatrixOf<float>>& A, float scale) {
  CholeskyOf<float> out;
  safe_cholesky(A, out, scale);
  return out;
}

Matrix cholesky_adjoint(ConstMatrixRef L, ConstMatrixRef L_bar) {
  const auto lower = L.triangularView<Eigen::Lower>();
  const Matrix bar = L_bar.triangularView<Eigen::Lower>();
  Matrix P = lower.transpose() * bar;  // (n,n)
  P.triangularView<Eigen::StrictlyUpper>().setZero();
  P.diagonal() *= 0.5;
  Matrix A_bar = 0.5 * (P + P.transpose());
  lower.transpose().solveInPlace(A_bar);         // L^{-T} (.)
  lower.solveInPlace<Eigen::OnTheRight>(A_bar);  // (.) L^{-1}
  // One product and two solves with a triangle: n^2 (n+1) and 2 n^3; P + P^T and scaling: 2 n^2 +
  // n.
  const auto n = static_cast<std::uint64_t>(L.rows());
  flops::add(3 * n * n * n + 3 * n * n + n);
  return A_bar;
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The Fisher information of a Gaussian process, estimated with random probes.
#include <algorithm>

#include "models/gp/likelihood.hpp"
#include "numerics/flops.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Eigen::Lower;

int pieces_of(Index n, Index size) { return static_cast<int>((n + size - 1) / size); }

// Q B for a symmetric Q (n,n) given by its lower triangle, B (n,m); one piece per block of rows:
//   (QB)_r = Q_r,<r B_<r + Q_rr B_r + Q_>r,r' B_>r
Matrix symmetric_product(ConstMatrixRef Q, const Matrix& B, Team& team) {
  constexpr Index rows = 64;
  const Index n = Q.rows();
  Matrix product(n, B.cols());
  team.for_each(pieces_of(n, rows), [&](int piece) {
    const Index from = rows * piece, size = std::min(rows, n - from), rest = n - from - size;
    auto out = product.middleRows(from, size);
    out.noalias() =
        Q.block(from, from, size, size).selfadjointView<Lower>() * B.middleRows(from, size);
    if (from > 0) out.noalias() += Q.block(from, 0, size, from) * B.topRows(from);
    if (rest > 0) {
      out.noalias() += Q.block(from + size, from, rest, size).transpose() * B.bottomRows(rest);
    }
  });
  return product;
}

// B <- L^-1 B, a few columns per piece.
void solve_columns(ConstMatrixRef L, Matrix& B, Team& team) {
  constexpr Index columns = 8;
  team.for_each(pieces_of(B.cols(), columns), [&](int piece) {
    const Index from = columns * piece;
    L.triangularView<Lower>().solveInPlace(B.middleCols(from, std::min(columns, B.cols() - from)));
  });
}

}  // namespace

// K_a = Q o delta_a^2 with delta_a^2 = u_i^2 + u_j^2 - 2 u_i u_j, u = x_a / l_a, so all products
// K_a P, P = L^-T v, are columns of Q [P, u o P, u^2 o P]. Cancellation is harmless in a metric.
Matrix fisher_information(const StationaryKernel& kernel, double noise_variance, ConstMatrixRef X,
                          ConstMatrixRef L, ConstMatrixRef Q, ConstMatrixRef probes,
                          const Vector& known, Team& team) {
  const Index n = X.cols(), D = X.rows(), S = probes.cols();
  Matrix P = probes;
  for (auto probe : P.colwise()) L.transpose().triangularView<Eigen::Upper>().solveInPlace(probe);
  const Matrix u = kernel.scaled(X);  // (n,D)
  Matrix factors(n, S * (2 * D + 1));
  factors.leftCols(S) = P;
  for (Index a = 0; a < D; ++a) {
    factors.middleCols(S * (2 * a + 1), S) = u.col(a).asDiagonal() * P;
    factors.middleCols(S * (2 * a + 2), S) = u.col(a).cwiseAbs2().asDiagonal() * P;
  }
  const Matrix QP = symmetric_product(Q, factors, team);
  Matrix Y(n, S * (D + 1));  // L^-1 K_a P, S columns for every length-scale and the noise
  for (Index a = 0; a < D; ++a) {
    Y.middleCols(S * a, S) = u.col(a).cwiseAbs2().asDiagonal() * QP.leftCols(S) -
                             2.0 * u.col(a).asDiagonal() * QP.middleCols(S * (2 * a + 1), S) +
                             QP.middleCols(S * (2 * a + 2), S);
  }
  Y.rightCols(S) = P;
  solve_columns(L, Y, team);
  // Of the variance: K = K_y - noise I - diag(known), so L^-1 K P = v - noise L^-1 P - L^-1 known
  // P.
  Matrix all(n, S * (D + 2));
  all << Y.leftCols(S * D), probes - noise_variance * Y.rightCols(S), Y.rightCols(S);
  if (known.size() > 0) {
    Matrix of_known = known.asDiagonal() * P;
    solve_columns(L, of_known, team);
    all.middleCols(S * D, S) -= of_known;
  }
  flops::add(flops::gemm(n, factors.cols() + all.cols() / 2, n));
  const Eigen::Map<const Matrix> columns(all.data(), n * S, D + 2);
  return columns.transpose() * columns / (2.0 * static_cast<double>(S));
}

}  // namespace vbo

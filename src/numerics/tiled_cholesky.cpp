// SPDX-License-Identifier: MIT
#include "numerics/tiled_cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <vector>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Eigen::Lower;

constexpr int group = 4;  // tiles per product where they are known to be ready

// Cuts 0..n-1 into tiles.
struct Tiles {
  Index n;
  int count() const { return static_cast<int>((n + tile_size - 1) / tile_size); }
  Index start(int i) const { return tile_size * i; }
  Index size(int i) const { return std::min(tile_size, n - start(i)); }
  MatrixRef of(MatrixRef& A, int i, int j) const {
    return A.block(start(i), start(j), size(i), size(j));
  }
  // Tile row i, tile columns [from, to).
  Eigen::Ref<const Matrix> row(ConstMatrixRef A, int i, int from, int to) const {
    return A.block(start(i), start(from), size(i), std::min(n, start(to)) - start(from));
  }
};

// Numbers the pairs (i,j), j <= i, column by column.
std::vector<std::pair<int, int>> lower_pairs(int count) {
  std::vector<std::pair<int, int>> pairs;
  for (int j = 0; j < count; ++j) {
    for (int i = j; i < count; ++i) pairs.emplace_back(i, j);
  }
  return pairs;
}

}  // namespace

// L_ij = (A_ij - sum_{k<j} L_ik L_jk') L_jj^-T,  L_jj L_jj' = A_jj - sum_{k<j} L_jk L_jk'
bool factor_tiled(MatrixRef A, Team& team) {
  const Tiles tiles{A.rows()};
  const int count = tiles.count();
  std::vector<Flag> ready(static_cast<std::size_t>(Index{count} * count));
  const auto flag = [&](Index i, Index j) -> Flag& {
    return ready[static_cast<std::size_t>(i * count + j)];
  };
  std::atomic<bool> failed{false};
  const std::vector<std::pair<int, int>> pairs = lower_pairs(count);
  team.for_each(static_cast<int>(pairs.size()), [&](int at) {
    const auto [i, j] = pairs[static_cast<std::size_t>(at)];
    MatrixRef C = tiles.of(A, i, j);
    for (int k = 0; k < j;) {
      // The newest tile comes alone: nobody waits longer for it than needed.
      const int end = k + group < j ? k + group : k + 1;
      for (int m = k; m < end; ++m) {
        flag(i, m).await();
        flag(j, m).await();
      }
      if (!failed) C.noalias() -= tiles.row(A, i, k, end) * tiles.row(A, j, k, end).transpose();
      k = end;
    }
    if (i == j) {
      const Eigen::LLT<Eigen::Ref<Matrix>> llt(C);
      if (llt.info() != Eigen::Success || !C.diagonal().allFinite()) failed = true;
    } else {
      flag(j, j).await();
      if (!failed) {
        tiles.of(A, j, j)
            .transpose()
            .triangularView<Eigen::Upper>()
            .solveInPlace<Eigen::OnTheRight>(C);
      }
    }
    flag(i, j).raise();
  });
  const auto n = static_cast<std::uint64_t>(A.rows());
  flops::add(n * n * n / 3);
  return !failed;
}

// U = L^-T:  U_jj = L_jj^-T,  U_ji = -(sum_{j<=k<i} U_jk L_ik') L_ii^-T
void TiledInverse::make(MatrixRef A, Team& team) {
  const Tiles tiles{A.rows()};
  const int count = tiles.count();
  corners_.resize(tile_size, A.rows());
  const auto corner = [&](int i) {
    return MatrixRef(corners_.block(0, tiles.start(i), tiles.size(i), tiles.size(i)));
  };
  team.for_each(count, [&](int i) {
    corner(i).setIdentity();
    tiles.of(A, i, i).transpose().triangularView<Eigen::Upper>().solveInPlace(corner(i));
  });
  std::vector<Flag> ready(static_cast<std::size_t>(Index{count} * count));
  const auto flag = [&](Index j, Index i) -> Flag& {
    return ready[static_cast<std::size_t>(j * count + i)];
  };
  std::vector<std::pair<int, int>> pairs;  // (j,i), j < i
  for (int i = 1; i < count; ++i) {
    for (int j = 0; j < i; ++j) pairs.emplace_back(j, i);
  }
  team.for_each(static_cast<int>(pairs.size()), [&](int at) {
    const auto [j, i] = pairs[static_cast<std::size_t>(at)];
    MatrixRef C = tiles.of(A, j, i);
    C.noalias() = corner(j) * tiles.of(A, i, j).transpose();
    for (int k = j + 1; k < i;) {
      const int end = k + group < i ? k + group : k + 1;
      for (int m = k; m < end; ++m) flag(j, m).await();
      C.noalias() += tiles.row(A, j, k, end) * tiles.row(A, i, k, end).transpose();
      k = end;
    }
    C = -(C * corner(i));
    flag(j, i).raise();
  });
  const auto n = static_cast<std::uint64_t>(A.rows());
  flops::add(n * n * n / 3);
}

// A^-1 = U U':  tile (i,j), j <= i, is sum_{k>=i} U_ik U_jk'
void TiledInverse::tiles(ConstMatrixRef A, Team& team, const Use& use) const {
  const Tiles tiles{A.rows()};
  const int count = tiles.count();
  std::vector<std::pair<int, int>> pairs;  // the longest sums first
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) pairs.emplace_back(i, j);
  }
  team.for_each(static_cast<int>(pairs.size()), [&](int at) {
    const auto [i, j] = pairs[static_cast<std::size_t>(at)];
    const auto corner = corners_.block(0, tiles.start(i), tiles.size(i), tiles.size(i));
    Matrix sum(tiles.size(i), tiles.size(j));
    if (i == j) {
      sum.noalias() = corner * corner.transpose();
    } else {
      sum.noalias() = corner * tiles.row(A, j, i, i + 1).transpose();
    }
    if (i + 1 < count) {
      sum.noalias() += tiles.row(A, i, i + 1, count) * tiles.row(A, j, i + 1, count).transpose();
    }
    use(tiles.start(i), tiles.start(j), sum);
  });
  const auto n = static_cast<std::uint64_t>(A.rows());
  flops::add(n * n * n / 3);
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Cholesky factor and inverse of a large positive definite matrix on several threads, tile by tile.
// What a tile gets does not depend on the threads: the same bits whatever their number. Never
// throws on a bad matrix. Tiles depend on tiles made earlier in a fixed order; a thread that comes
// too early waits for the flag of that tile, so there is no barrier between steps.
#pragma once

#include <functional>

#include "numerics/linalg.hpp"
#include "numerics/parallel.hpp"

namespace vbo {

constexpr Eigen::Index tile_size = 64;  // small, for short chains of dependent tiles

// The lower triangle of A (n,n) becomes L with A = L L'. False: A is not positive definite or not
// finite, and its content is lost. Of the strict upper triangle only tiles on the diagonal are
// overwritten.
bool factor_tiled(MatrixRef A, Team& team);

// L^-T beside L: tiles above the diagonal go to the strict upper triangle of the same matrix, those
// on the diagonal to `corners`.
class TiledInverse {
 public:
  // A (n,n) holds L in its lower triangle, which stays.
  void make(MatrixRef A, Team& team);

  // Calls use(row, column, tile) once for every tile of the lower triangle of A^-1, on several
  // threads: tile (r,c) starts at that row and column; diagonal tiles are whole.
  using Use = std::function<void(Eigen::Index row, Eigen::Index column, MatrixRef tile)>;
  void tiles(ConstMatrixRef A, Team& team, const Use& use) const;

 private:
  Matrix corners_;  // (tile_size,n) upper triangles
};

}  // namespace vbo

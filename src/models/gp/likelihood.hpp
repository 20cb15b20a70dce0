// SPDX-License-Identifier: MIT
// The log marginal likelihood of a Gaussian process and its derivatives by every hyper-parameter
// and, for deep kernels, by the inputs:
//   log p = -1/2 r' alpha - sum_i log L_ii - n/2 log 2 pi,   r = z - m,  K_y = K + noise I = L L'
//   d log p / d theta = sum_ij G_ij dK_ij/dtheta,            G = 1/2 (alpha alpha' - K_y^-1)
#pragma once

#include <limits>
#include <optional>

#include "models/gp/kernel.hpp"
#include "numerics/tiled_cholesky.hpp"

namespace vbo {

// Storage reused between calls, and what the last call left. Belongs to one caller at a time.
struct LikelihoodWorkspace {
  Team* team = nullptr;  // set by the caller: its threads take part; null: the caller alone
  Matrix probes;         // (n,S) set by the caller: independent entries of mean 0, variance 1
  // (n) set by the caller: b of a quadratic mean (quadratic_mean.hpp) at the inputs, m = c + s b;
  // empty: m = c.
  Vector quadratic;
  // (n) set by the caller: variances of single outcomes beside the noise; empty: none.
  Vector known;
  Matrix K, Q;   // (n,n) the lower triangle of K is L when the last value was ok
  Vector alpha;  // (n) K_y^-1 r
  TiledInverse inverse;
};

struct LikelihoodGradient {
  Vector log_lengthscales;  // (D) d log p / d log l_j, one per input
  double log_variance = 0.0;
  double noise_variance = 0.0;
  double mean = 0.0;  // 0 when the mean was profiled out
  Matrix X;           // (D,n) d log p / dX; only when asked for
  // (D+2,D+2) estimate of the Fisher information of (log l_1 ... log l_D, log variance, noise):
  //   F_ab = 1/2 tr(K_y^-1 K_a K_y^-1 K_b) = 1/2 E[(A_a v)'(A_b v)],  A_a = L^-1 K_a L^-T,
  // averaged over the probes v in the workspace; empty when there are none.
  Matrix information;
};

struct LikelihoodValue {
  double value = 0.0;  // log p
  double mean = 0.0;   // c
  double slope = 0.0;  // s <= 0
  bool ok = false;     // false: K_y is not positive definite; nothing else is meaningful
  bool has_gradient = false;
};

// X (D,n), z (n). Without `mean`, c is the one that maximizes log p, (1' K_y^-1 z) / (1' K_y^-1 1),
// and so is s <= 0 where there is a quadratic mean. REQUIRES: with `mean` there is no quadratic
// mean. `gradient` may be null: the value alone costs a third. It is not written when log p <
// `least`.
LikelihoodValue log_likelihood(const StationaryKernel& kernel, double noise_variance,
                               std::optional<double> mean, ConstMatrixRef X, ConstVectorRef z,
                               LikelihoodWorkspace& work, LikelihoodGradient* gradient,
                               bool with_inputs = false,
                               double least = -std::numeric_limits<double>::infinity());

// The information described above, from the lower triangles of L and of the kernel's slope Q;
// `known` as in the workspace.
Matrix fisher_information(const StationaryKernel& kernel, double noise_variance, ConstMatrixRef X,
                          ConstMatrixRef L, ConstMatrixRef Q, ConstMatrixRef probes,
                          const Vector& known, Team& team);

}  // namespace vbo

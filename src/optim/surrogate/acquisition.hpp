// SPDX-License-Identifier: MIT
// Acquisition functions: how much a point, or a batch of points, is worth evaluating, given what a
// model believes. All are maximized. Inputs are in standardized units (deviation of y about 1),
// with `best` the largest value observed. Stateless; thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "numerics/linalg.hpp"

namespace vbo {

// u = (mean - best) / sigma
//   ei        sigma h(u), h(u) = phi(u) + u Phi(u)              (Jones et al. 1998)
//   log_ei    log of it, accurate where ei underflows           (Ament et al. 2023)
//   pi        Phi(u)                                            (Kushner 1964)
//   ucb       mean + sqrt(beta) sigma                           (Srinivas et al. 2010)
// over S joint draws Y (q,S), b' = sqrt(beta pi / 2), m_j = mean_s Y_js      (Wilson et al. 2017)
//   q_ei      mean_s max(0, max_j Y_js - best)
//   q_log_ei  log mean_s exp fatmax_j log fatplus(Y_js - best)  (Ament et al. 2023)
//   q_ucb     mean_s max_j (m_j + b' |Y_js - m_j|)
//   thompson  the maximum of a function drawn from the posterior, one function per point
enum class Acquisition { ei, log_ei, pi, ucb, q_ei, q_log_ei, q_ucb, thompson };

bool is_monte_carlo(Acquisition kind);
// A joint search of a batch has q * D variables; beyond so many, points are chosen one after the
// other.
inline constexpr Eigen::Index kJointVariables = 120;
// The kind for single points whose batch form `kind` is, and the other way round.
Acquisition pointwise(Acquisition kind);
Acquisition batchwise(Acquisition kind);

struct PointScores {
  Vector value;      // (m)
  Vector dmean;      // (m) d value / d mean
  Vector dvariance;  // (m) d value / d variance
};
// REQUIRES: ei, log_ei, pi or ucb. mean, variance (m).
PointScores score_points(Acquisition kind, ConstVectorRef mean, ConstVectorRef variance,
                         double best, double beta);

struct DrawScore {
  double value = 0.0;
  Matrix ddraws;  // (q,S) d value / d draws
};
// REQUIRES: q_ei, q_log_ei or q_ucb.
DrawScore score_draws(Acquisition kind, ConstMatrixRef draws, double best, double beta);

}  // namespace vbo

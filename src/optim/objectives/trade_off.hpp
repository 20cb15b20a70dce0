// SPDX-License-Identifier: MIT
// Several objectives as one number, for one trade-off between them. Objectives are maximized;
// weights w (M) are positive and add up to one. Stateless; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/objectives.hpp"
#include "numerics/linalg.hpp"
#include "vbo/ledger.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo {

// Of a study with these options; at least 1.
inline Eigen::Index objective_count(const OptimizerOptions& options) {
  return options.objectives.empty() ? 1 : static_cast<Eigen::Index>(options.objectives.size());
}

// Evenly distributed over all weights of M objectives.
Vector random_weights(Eigen::Index M, Rng& rng);

// Where the front lies: of each objective its best value, and how far from there values still
// matter.
struct ObjectiveRanges {
  Vector ideal;  // (M)
  Vector width;  // (M) > 0

  // Of the non-dominated columns of Y (M,n), values that are maximized. A width runs to the
  // objective's reference where there is one, else to the worst value on the front; where the front
  // has one value only, to the worst of all. No columns: ideal 0 and width 1.
  static ObjectiveRanges of(ConstMatrixRef Y, std::span<const Objective> objectives);

  // Distances to the ideal in widths (M,n): 0 is the best.
  Matrix distances(ConstMatrixRef Y) const;
};

// The augmented Chebyshev scalarization of distances u (M), to be maximized [Knowles2006, ParEGO]:
//   -max_m w_m u_m - 0.05 sum_m w_m u_m
// Its maximizer is never dominated, and every point of a front is one for some w.
double chebyshev(ConstVectorRef u, ConstVectorRef w);

// The weights that a suggestion was made for, as notes of its rationale.
std::span<const TermInfo> weight_terms();  // for the most objectives
void add_weights(Rationale& why, ConstVectorRef w);

}  // namespace vbo

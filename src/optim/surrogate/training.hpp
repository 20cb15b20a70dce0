// SPDX-License-Identifier: MIT
// What of a history a surrogate is fitted to.
#pragma once

#include <span>
#include <vector>

#include "optim/feasibility.hpp"
#include "optim/history/history.hpp"
#include "vbo/random.hpp"

namespace vbo {

// Indices among the first `count` results to learn from, in increasing order: all while there are
// at most `most`; beyond, the better half and the most recent others. Failures only
// `with_failures`.
std::vector<Eigen::Index> training_set(const History& history, Eigen::Index count,
                                       Eigen::Index most, bool with_failures);

// The values at `indices`. Failures get the worst value among the first `count` results. Values far
// below the rest (a crash penalty of -1e6 among values near 1) are raised to
// median - 20 max(best - median, interquartile range): they would flatten everything else.
Vector training_values(const History& history, std::span<const Eigen::Index> indices,
                       Eigen::Index count);

// The standard errors of the first objective at `indices`, 0 where there is none; empty when no
// result came with one.
Vector training_errors(const History& history, std::span<const Eigen::Index> indices);

// What the first `count` results say about feasibility, looking at `most` of them; nothing where
// there are neither limits nor, with_failures, failures.
void fit_feasibility(Feasibility& feasibility, const Encoding& encoding, const History& history,
                     const GpOptions& model, Eigen::Index count, Eigen::Index most,
                     bool with_failures, Rng rng);
void fit_feasibility(Feasibility& feasibility, const Encoding& encoding, const History& history,
                     const GpOptions& model, std::span<const Eigen::Index> indices,
                     Feasibility::Limits limits, Rng rng);  // looking at these

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The candidates of a round: the front that the models predict, found by evolution on their means
// and gradient ascents, with what surrounds it.
//
// The population is the set of winners of many trade-offs drawn anew every round (augmented
// Chebyshev scalarizations in units of the population's own range), so that neither the ideal nor
// the extent of the front has to be known before: both follow from what the models predict.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/feasibility.hpp"
#include "optim/pareto/objective_models.hpp"

namespace vbo::pareto {

// What a search takes for outcomes (M,n): the mean, or a lower bound of the prediction. A search by
// means finds what models wrongly promise; one by lower bounds stays where they know enough.
Matrix assumed(const ObjectiveModels::Prediction& p, bool at_lower_bound);

struct Candidates {
  Matrix codes;                 // (D,n), snapped
  Eigen::Index variations = 0;  // the last so many: of the elite, whatever is predicted of them
  ObjectiveModels::Prediction predicted;  // (M,n)
  Vector feasible;                        // (n) probabilities; 1 where nothing is known
  ObjectiveRanges ranges;                 // of the predicted front, in units of the models
};

struct CandidateOptions {
  std::int64_t generations = 24;  // on the models
  std::int64_t population = 128;  // trade-offs, and points of a generation
  std::int64_t count = 512;       // candidates, about
  std::int64_t ascents = 64;
  bool feasible = true;  // whether the elite is
  int threads = 1;
};

// What candidates are made from. Immutable.
struct CandidateParts {
  const Encoding& encoding;
  const ObjectiveModels& models;
  const Feasibility& feasibility;
  const Matrix& elite;  // (D,e) codes, e >= 1
};

Candidates make_candidates(const CandidateParts& parts, const CandidateOptions& options,
                           std::uint64_t seed, std::uint64_t round);

// x (D) with some coordinates moved by about `length` and some categories changed.
Vector varied(const Encoding& encoding, ConstVectorRef x, double length, Rng& rng);

}  // namespace vbo::pareto

// SPDX-License-Identifier: MIT
// The candidates of a round: what Gaussian actors, gradient ascents and variations of the elite
// propose, for trade-offs drawn anew every round, with the models' predictions.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/feasibility.hpp"
#include "optim/pareto/actor.hpp"
#include "optim/pareto/objective_models.hpp"

namespace vbo::pareto {

enum class Source : signed char { actor, ascent, variation, design };
const char* label(Source source);

struct Candidates {
  Matrix codes;  // (D,n), snapped
  std::vector<Source> sources;
  ObjectiveModels::Prediction predicted;  // (M,n)
  Vector feasible;                        // (n) probabilities; 1 where nothing is known
};

struct CandidateOptions {
  std::int64_t actors = 8;
  std::int64_t generations = 8;  // of each, on the models
  std::int64_t count = 512;      // candidates, about
  std::int64_t ascents = 64;
  int threads = 1;
};

// What candidates are made from. Immutable.
struct CandidateParts {
  const Encoding& encoding;
  const NumericPart& numeric;
  const ObjectiveModels& models;
  const Feasibility& feasibility;
  const Matrix& elite;           // (D,e) codes, e >= 1
  const Matrix& elite_outcomes;  // (M,e) as the models predict them
};

Candidates make_candidates(const CandidateParts& parts, const CandidateOptions& options,
                           std::uint64_t seed, std::uint64_t round);

// x (D) with some coordinates moved by about `length` and some categories changed.
Vector varied(const Encoding& encoding, ConstVectorRef x, double length, Rng& rng);

}  // namespace vbo::pareto

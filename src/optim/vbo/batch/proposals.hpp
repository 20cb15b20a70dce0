// SPDX-License-Identifier: MIT
// Where suggestions come from, and how the best proposals of a source are kept.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "optim/encoding.hpp"
#include "optim/vbo/archive.hpp"
#include "vbo/random.hpp"

namespace vbo {

enum class Source {
  design,                // space-filling, before anything is known
  action_net,            // the trained actor, for the local search
  local,                 // the local search's distribution, categories from good points
  refinement,            // the incumbent: the search around the best result of earlier restarts
  incumbent_mutation,    // a mutation from the best result of all restarts
  expected_improvement,  // maximizes the GP's expected improvement
  quadratic_optimum,     // optima of quadratic models around the best result
  mutation,  // a good point with a few parameters changed: crosses valleys, mixes good parts
  constrained_optimum,  // predicted best points within all limits, around the best result
};
constexpr Source kLastSource = Source::constrained_optimum;
std::string_view to_string(Source source);                        // a label, for people
std::int64_t part_of(Source source);                              // for Rationale::part
std::optional<Source> stored_source(const Rationale& rationale);  // nothing where vbo did not say

// One of the best results' ranks, the better the likelier: floor(m u^2), u uniform, m = best few.
int good_rank(const Archive& archive, Rng& rng);

// Overwrites the categorical blocks of `code` (D) with those of a good result, sometimes mixed with
// those of another one, sometimes with a few choices changed at random.
void borrow_categories(const Encoding& encoding, const Archive& archive, VectorRef code, Rng& rng);

// A good result with at least one parameter changed: to a random value, to that of another good
// result, or by a moderate step.
Vector mutate(const Encoding& encoding, const Archive& archive, Rng& rng);

// Codes (D) side by side (D,n). REQUIRES: there is one.
Matrix columns(const std::vector<Vector>& codes);

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "optim/sobol/sobol.hpp"

#include <algorithm>

namespace vbo {

SobolSearch::SobolSearch(const Space& space, const OptimizerOptions& common, SobolOptions)
    : encoding_(space), design_(encoding_, common.seed) {}

std::vector<Suggestion> SobolSearch::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  suggestions.reserve(ids.size());
  for (const TrialId id : ids) {
    const auto index = static_cast<std::uint64_t>(std::max<TrialId>(id, 1) - 1);
    suggestions.push_back({encoding_.decode(design_.code(index)), {.source = "sobol"}});
  }
  return suggestions;
}

const Ledger& SobolSearch::declared() {
  static const Ledger nothing;
  return nothing;
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "optim/random/random.hpp"

#include "vbo/random.hpp"

namespace vbo {

RandomSearch::RandomSearch(const Space& space, const OptimizerOptions& common, RandomOptions)
    : encoding_(space), seed_(common.seed) {}

std::vector<Suggestion> RandomSearch::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  suggestions.reserve(ids.size());
  for (const TrialId id : ids) {
    Rng rng(seed_, "random-search", static_cast<std::uint64_t>(id));
    // A one-hot block of independent uniforms has its maximum at each choice equally often.
    Vector x(encoding_.dimension());
    for (double& coordinate : x) coordinate = rng.uniform();
    encoding_.spread(x);
    suggestions.push_back({encoding_.decode(x), {.source = "random"}});
  }
  return suggestions;
}

const Ledger& RandomSearch::declared() {
  static const Ledger nothing;
  return nothing;
}

}  // namespace vbo

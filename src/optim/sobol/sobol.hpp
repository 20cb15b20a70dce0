// SPDX-License-Identifier: MIT
// Quasi-random search: a scrambled Sobol sequence over the space. Covers better than random search
// at the same cost, and learns nothing.
#pragma once

#include "optim/design.hpp"
#include "optim/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct SobolOptions {};
inline void bind(OptionBinder&, SobolOptions&) {}

// Trial i gets point i-1 of the sequence of its seed, so there is no state to store.
class SobolSearch final : public Optimizer {
 public:
  SobolSearch(const Space& space, const OptimizerOptions& common, SobolOptions);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial>) override {}
  static const Ledger& declared();  // nothing: no point is compared with another
  std::string snapshot() const override { return "sobol"; }
  Result<void> restore(std::string_view, std::span<const Trial>) override { return {}; }

 private:
  Encoding encoding_;
  SobolDesign design_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Uniform random search: the baseline every method has to beat.
#pragma once

#include "optim/encoding.hpp"
#include "optim/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct RandomOptions {};
inline void bind(OptionBinder&, RandomOptions&) {}

// Trial i's point depends on (seed, i) alone, so there is no state to store.
class RandomSearch final : public Optimizer {
 public:
  RandomSearch(const Space& space, const OptimizerOptions& common, RandomOptions);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial>) override {}
  static const Ledger& declared();  // nothing: no point is compared with another
  std::string snapshot() const override { return "random"; }
  Result<void> restore(std::string_view, std::span<const Trial>) override { return {}; }

 private:
  Encoding encoding_;
  std::uint64_t seed_;
};

}  // namespace vbo

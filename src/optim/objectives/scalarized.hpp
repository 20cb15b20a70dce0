// SPDX-License-Identifier: MIT
// A method for one objective, applied to several: it sees the augmented Chebyshev scalarization of
// the values for weights that are drawn from the seed. The weights stay for a block of results;
// then a method made anew is told all results under the next weights, so that a model never mixes
// values of two scalarizations. Failures and metrics pass unchanged. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "optim/objectives/trade_off.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class Scalarized final : public Optimizer {
 public:
  // Makes the method for one objective with this seed.
  using Make = std::function<std::unique_ptr<Optimizer>(std::uint64_t seed)>;

  // REQUIRES: two objectives or more.
  Scalarized(const Space& space, const OptimizerOptions& common, Make make);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return rounds_before_ + method_->round(); }
  AskReport report() const override;
  const Ledger& ledger() const override { return scalarized_ledger(method_->ledger()); }
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

  // What a method declares, and the weights. What it says of values is said of the scalarization:
  // no value of an objective.
  static const Ledger& scalarized_ledger(const Ledger& of_method);

 private:
  bool block_is_over() const;
  void begin_block();
  void set_weights();
  Trial scalarized(const Trial& trial) const;
  Trial foreign(const Trial& trial) const;  // ... and suggested by nobody

  Space space_;
  std::vector<Objective> objectives_;
  std::uint64_t seed_;
  std::int64_t batch_;
  Make make_;
  std::unique_ptr<Optimizer> method_;
  std::vector<Trial> told_;         // in the order in which they were told
  std::int64_t block_ = 0;          // blocks before this one
  std::int64_t told_before_ = 0;    // results that were there when it began
  std::int64_t rounds_before_ = 0;  // training rounds of methods of earlier blocks
  TrialId newest_id_ = 0;           // asked for so far
  TrialId newest_before_ = 0;       // ... when the block began
  Vector weights_;                  // (M)
  ObjectiveRanges ranges_;          // of the results then
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The method "auto": chooses another one from the budget, the batch and the dimension, says which
// and why in its report, and from then on is that method. Options are those of the method chosen.
#pragma once

#include <memory>
#include <string>

#include "vbo/optimizer.hpp"

namespace vbo {

struct Choice {
  std::string method;
  std::string reason;  // one clause, e.g. "64 results at a time are many"
};

// A Gaussian process learns most from one result, and its time grows with the cube of their number:
// gp-logei for at most 300 results in batches of at most 16 over at most 50 encoded dimensions,
// otherwise vbo. A budget of 0 is unknown, and counts as large.
Choice choose_method(std::int64_t dimension, std::int64_t batch, std::int64_t budget);

class AutoMethod final : public Optimizer {
 public:
  AutoMethod(Choice choice, std::unique_ptr<Optimizer> chosen);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override { return chosen_->ask(ids); }
  void tell(std::span<const Trial> finished) override { chosen_->tell(finished); }
  std::int64_t round() const override { return chosen_->round(); }
  AskReport report() const override;
  const Ledger& ledger() const override { return chosen_->ledger(); }
  std::string snapshot() const override;  // the name chosen, then its snapshot
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  Choice choice_;
  std::unique_ptr<Optimizer> chosen_;
};

}  // namespace vbo

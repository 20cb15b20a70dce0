// SPDX-License-Identifier: MIT
// The method "auto": chooses another one from the size of the problem, says which
// and why in its report, and from then on is that method. Options are those of the method chosen.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vbo/optimizer.hpp"

namespace vbo {

struct Choice {
  std::string method;
  std::string reason;  // one clause, e.g. "64 results at a time are many"
};

// What the choice looks at.
struct Problem {
  std::int64_t dimension = 1;  // encoded: a category counts once per choice
  std::int64_t batch = 1;
  std::int64_t budget = 0;  // 0 = unknown, and counts as large
  std::int64_t objectives = 1;
  bool constrained = false;  // by [[constraint]]s
  bool limited = false;      // by limits of what is measured
  bool categorical = false;  // some parameters are categories
};

Choice choose_method(const Problem& problem);

// What choose_method, of this or an earlier version, may choose.
inline constexpr std::array<std::string_view, 5> auto_candidates = {"vbo", "gp-logei", "turbo",
                                                                    "pareto", "gp-logehvi"};

class AutoMethod final : public Optimizer {
 public:
  // Builds any method for the study's space; asked again when a stored state is of another one.
  using Make = std::function<Result<std::unique_ptr<Optimizer>>(const std::string& method)>;

  AutoMethod(Choice choice, std::unique_ptr<Optimizer> chosen, Make make);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override { return chosen_->ask(ids); }
  void tell(std::span<const Trial> finished) override { chosen_->tell(finished); }
  std::int64_t round() const override { return chosen_->round(); }
  AskReport report() const override;
  const Ledger& ledger() const override { return chosen_->ledger(); }
  std::string snapshot() const override;  // the name chosen, then its snapshot
  // The method of the snapshot goes on, whatever today's rule would choose.
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  Choice choice_;
  std::unique_ptr<Optimizer> chosen_;
  Make make_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Any method, with leading points evaluated again when that is worth more than a new point, and the
// end of the budget spent on choosing among the leading ones. The method within learns each result
// as one of its own; it is not asked for what is evaluated again.
//   Whether there is noise is found by evaluating the best point again, at most once per 100
//   evaluations of the budget and twice in all; equal results are evidence of none, and then
//   nothing is evaluated again any more. Standard errors and points with different results are
//   evidence of noise. With noise, a result of a leader is worth its knowledge gradient
//   (leaders.hpp), and one of a new point what the latest new points have been worth on average.
// All decisions follow from the trials, the order of asks and tells, and the seed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/order.hpp"
#include "optim/encoding.hpp"
#include "optim/repeats/leaders.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class AutoRepeats final : public Optimizer {
 public:
  AutoRepeats(std::unique_ptr<Optimizer> inner, const Space& space,
              const OptimizerOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return inner_->round(); }
  AskReport report() const override { return inner_->report(); }
  const Ledger& ledger() const override { return inner_->ledger(); }
  std::string snapshot() const override { return inner_->snapshot(); }
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct RepeatedPoint {
    Point point;
    std::int64_t asked = 0, ended = 0;
    std::map<TrialId, Trial> results;  // those with values, at the point itself
  };
  enum class Evidence { open, none, noise };

  void add_asked(const Trial& trial);
  // What the method within is to learn of it.
  Trial take(const Trial& trial);
  Evidence evidence() const;
  std::int64_t allowed_probes() const;
  std::int64_t results() const;
  // The points to evaluate again in an ask of n, by their first trial.
  std::vector<TrialId> chosen(std::int64_t n) const;
  std::vector<TrialId> worth_repeating(std::int64_t n) const;

  std::unique_ptr<Optimizer> inner_;
  const Encoding encoding_;
  const Order order_;
  const std::uint64_t seed_;
  const std::int64_t budget_, batch_;
  std::map<TrialId, RepeatedPoint> points_;  // by the first trial
  std::int64_t asked_ = 0;                   // evaluations suggested so far
  std::int64_t repeats_ = 0;                 // of these
};

}  // namespace vbo

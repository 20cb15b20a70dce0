// SPDX-License-Identifier: MIT
// Any method, with every point evaluated several times. The method within is asked for points and
// learns one result a point, the mean with its standard error, once all evaluations of the point
// have ended; it never sees single evaluations. Repeats are suggested right after the point they
// belong to. Everything here follows from the trials, so a snapshot is that of the method within.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "optim/repeats/merged_results.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class RepeatMethod final : public Optimizer {
 public:
  // repeats >= 2, of each point.
  RepeatMethod(std::unique_ptr<Optimizer> inner, std::int64_t repeats);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return inner_->round(); }
  AskReport report() const override { return inner_->report(); }
  const Ledger& ledger() const override { return inner_->ledger(); }
  std::string snapshot() const override { return inner_->snapshot(); }
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  // Evaluations of one point, some still to come.
  struct RepeatedPoint {
    Point point;
    std::int64_t asked = 0;    // evaluations suggested so far
    std::int64_t ended = 0;    // of these
    bool first_moved = false;  // at the first evaluation another point was set
    std::vector<Trial> there;  // those that ended at the point itself
  };
  using Points = std::map<TrialId, RepeatedPoint>;  // by the id of the first evaluation

  // Takes a trial that has ended to its point; what the method within learns at once instead, since
  // another point was set or nobody suggested it, goes to `others`.
  void take(Trial trial, std::vector<Trial>& others);
  // Moves what the method within is to learn of points with all results from points_ into `told`.
  void merge_finished(std::vector<Trial>& told);

  std::unique_ptr<Optimizer> inner_;
  std::int64_t repeats_;
  Points points_;
  PooledVariance variance_;
};

// What the method within is made with: its budget and batch count points.
OptimizerOptions options_of_points(OptimizerOptions options);

}  // namespace vbo

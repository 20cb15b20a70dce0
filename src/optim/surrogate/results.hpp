// SPDX-License-Identifier: MIT
// What a model-based optimizer remembers of a study: codes and values of finished trials in the
// order they were told, and the codes of points still out. Not thread-safe.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/order.hpp"
#include "optim/encoding.hpp"
#include "optim/feasibility.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// In the unit cube: closer than this in every coordinate, two points are the same.
inline constexpr double kSamePoint = 1e-7;

class Results {
 public:
  // infeasible_fail: for methods without models of feasibility, to which infeasible results are
  // failures.
  explicit Results(const Encoding& encoding, bool infeasible_fail = false)
      : encoding_(encoding),
        order_(Order::maximizing(encoding.space())),
        infeasible_fail_(infeasible_fail) {}

  // The code of the point, not the code it was decoded from: they may differ in the last bits, and
  // whoever resumes the study knows the point alone.
  void asked(TrialId id, const Point& point) { pending_[id] = encoding_.encode(point); }
  // Within one call trials are taken in the order of their ids.
  void told(std::span<const Trial> finished);
  // All trials of a history: told ones by (told_in, id), open ones as pending.
  void restore(std::span<const Trial> history);

  Eigen::Index size() const { return static_cast<Eigen::Index>(values_.size()); }
  Eigen::Index successes() const { return successes_; }
  auto code(Eigen::Index i) const { return codes_.col(i); }  // (D)
  // Not a number when the trial failed.
  double value(Eigen::Index i) const { return values_[static_cast<std::size_t>(i)]; }
  // What results are compared by (core/order.hpp).
  const Standing& standing(Eigen::Index i) const { return standings_[static_cast<std::size_t>(i)]; }
  bool feasible(Eigen::Index i) const { return standing(i).is_feasible(); }
  std::span<const Success> successes_of(Eigen::Index count) const {  // the first `count`
    return std::span(successes_by_).first(static_cast<std::size_t>(count));
  }
  Success success(Eigen::Index i) const { return successes_by_[static_cast<std::size_t>(i)]; }
  // What the first `count` results say about feasibility, looking at `most` of them; nothing where
  // there are neither limits nor, with_failures, failures.
  void teach(Feasibility& feasibility, const GpOptions& model, Eigen::Index count,
             Eigen::Index most, bool with_failures, Rng rng) const;
  void teach(Feasibility& feasibility, const GpOptions& model,
             std::span<const Eigen::Index> indices, Rng rng) const;  // looking at these
  TrialId id(Eigen::Index i) const { return ids_[static_cast<std::size_t>(i)]; }
  Matrix pending() const;  // (D,k) in the order of ids
  const std::map<TrialId, Vector>& open() const { return pending_; }

  // Whether x (D) is, to within 1e-7 in every coordinate, a point told or pending.
  bool contains(ConstVectorRef x) const;

  // Indices of results to learn from, in increasing order: all while there are at most
  // `most`; beyond, the better half and the most recent others. Failures only
  // `with_failures`.
  std::vector<Eigen::Index> chosen(Eigen::Index count, Eigen::Index most, bool with_failures) const;
  // The values at `indices`. Failures get the worst value among the first `count` results. Values
  // far below the rest (a crash penalty of -1e6 among values near 1) are raised to
  // median - 20 max(best - median, interquartile range): they would flatten everything else.
  Vector outcomes(std::span<const Eigen::Index> indices, Eigen::Index count) const;

 private:
  void add(const Trial& trial);

  const Encoding& encoding_;
  Order order_;
  bool infeasible_fail_;
  Matrix codes_;  // (D,capacity)
  std::vector<double> values_;
  std::vector<Standing> standings_;
  std::vector<Success> successes_by_;
  Matrix excesses_;  // (bounds,capacity), see scaled_excesses()
  std::vector<TrialId> ids_;
  Eigen::Index successes_ = 0;
  std::map<TrialId, Vector> pending_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What a model-based optimizer remembers of a study: codes and values of finished trials in the
// order they were told, and the codes of points still out. Not thread-safe.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "optim/encoding.hpp"
#include "vbo/trial.hpp"

namespace vbo {

class Results {
 public:
  explicit Results(const Encoding& encoding) : encoding_(encoding) {}

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
  TrialId id(Eigen::Index i) const { return ids_[static_cast<std::size_t>(i)]; }
  Matrix pending() const;  // (D,k) in the order of ids
  const std::map<TrialId, Vector>& open() const { return pending_; }

  // Whether x (D) is, to within 1e-7 in every coordinate, a point told or pending.
  bool contains(ConstVectorRef x) const;

  // Indices of results to learn from, in increasing order: all while there are at most
  // `most`; beyond, the best half and the most recent others. Failures only `with_failures`.
  std::vector<Eigen::Index> chosen(Eigen::Index count, Eigen::Index most, bool with_failures) const;
  // The values at `indices`. Failures get the worst value among the first `count` results. Values
  // far below the rest (a crash penalty of -1e6 among values near 1) are raised to
  // median - 20 max(best - median, interquartile range): they would flatten everything else.
  Vector outcomes(std::span<const Eigen::Index> indices, Eigen::Index count) const;

 private:
  void add(const Trial& trial);

  const Encoding& encoding_;
  Matrix codes_;  // (D,capacity)
  std::vector<double> values_;
  std::vector<TrialId> ids_;
  Eigen::Index successes_ = 0;
  std::map<TrialId, Vector> pending_;
};

}  // namespace vbo

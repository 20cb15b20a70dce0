// SPDX-License-Identifier: MIT
// The elite of several objectives: the feasible results that none dominates or, before there are
// any, those with the smallest violation. At most twice kMost, spread over the front. A function of
// the results alone, in the order in which they were told. Not thread-safe.
#pragma once

#include <vector>

#include "optim/history/history.hpp"

namespace vbo::pareto {

class Elites {
 public:
  static constexpr std::size_t kMost = 500;

  explicit Elites(Eigen::Index objectives) : values_(objectives, 0) {}

  // Result i of the history, the next one. Failed ones change nothing.
  void add(const History& history, Eigen::Index i);

  const std::vector<Eigen::Index>& indices() const { return indices_; }  // of results, rising
  auto values() const { return values_.leftCols(size()); }               // (M,size)
  Eigen::Index size() const { return std::ssize(indices_); }
  bool feasible() const { return feasible_; }  // all of them, or none

 private:
  void keep(const std::vector<Eigen::Index>& columns);
  void append(Eigen::Index i, ConstVectorRef y);
  void thin_out();

  bool feasible_ = false;
  std::vector<Eigen::Index> indices_;
  Matrix values_;                  // (M,capacity)
  std::vector<double> violation_;  // while none is feasible
};

// The values of result i, in the sign that is maximized and within +-1e300; empty when it failed.
Vector values_of(const History& history, Eigen::Index i, Eigen::Index objectives);

}  // namespace vbo::pareto

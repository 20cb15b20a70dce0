// SPDX-License-Identifier: MIT
// Numbers as the page of many trials gets them. Above kWhole rows, numbers are rounded to steps
// (powers of two, which compress well) finer than a pixel of any plot, and a part of the ledgers is
// left out. What is looked at closely stays exact: the best and the latest trials, the front, and
// open ones.
#pragma once

#include <cstddef>
#include <vector>

#include "vbo/report.hpp"

namespace vbo::web {

class Drawn {
 public:
  static constexpr std::size_t kWhole = 20000;  // rows of which everything is exact
  static constexpr std::size_t kBest = 1000, kLatest = 1000;

  Drawn(const StudyReport& report, const std::vector<std::size_t>& positions);

  // Every so many rows have their ledger; 1: all.
  std::size_t thinned() const { return thinned_; }
  bool has_ledger(std::size_t row) const { return exact(row) || row % thinned_ == 0; }

  // Below, `row` is a position in `positions`.
  // Never better than the value itself, so that the best result stays the best, and what is behind
  // a front stays behind it.
  double value(std::size_t row, double value, std::size_t objective = 0) const;
  double parameter(std::size_t row, const Parameter& parameter, double value) const;
  double seconds_since(std::size_t row, double seconds) const;  // of the study's time

 private:
  bool exact(std::size_t row) const { return exact_.empty() || exact_[row]; }

  std::vector<bool> exact_;  // empty: all
  std::size_t thinned_ = 1;
  std::vector<bool> minimize_;  // one per objective
  std::vector<double> spread_;  // of its values
  double length_ = 0.0;         // of the study, in seconds
};

}  // namespace vbo::web

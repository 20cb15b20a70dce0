// SPDX-License-Identifier: MIT
// Every result so far, as codes in the unit cube, in the order of their values. Outcomes are used
// through their ranks (but for Panel): robust to outliers and scale, a failed trial is
// simply the lowest, and resolution follows the data to the top as the search narrows. Not
// thread-safe.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/order.hpp"
#include "numerics/linalg.hpp"
#include "optim/encoding.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// Which results a minibatch is drawn from: a share u from all n, the rest from the best n_e.
// Ranks are turned into scores under this mixture, so half of the outcome levels or more describe
// the elite, however many results there are.
struct Replay {
  double uniform_share = 0.25;
  int results = 0;  // n
  int elite = 0;    // n_e <= n

  // Share of the mixture that lies above rank r (0 = best; fractional for ties):
  //   q(r) = u (r + 1/2) / n + (1-u) min(1, (r + 1/2) / n_e)
  double quantile(double rank) const;
  double rank_at(double quantile) const;  // its inverse
};

// What the archive sorts a result by: its value; -inf when it failed; below all values, by
// violation, when it is infeasible.
double archive_value(const Encoding& encoding, const Trial& trial);
double archive_error(const Trial& trial);  // of its value; 0 where it is unknown

class Archive {
 public:
  // Of an encoding's space: with limits, some results may be infeasible.
  explicit Archive(const Encoding& encoding);
  explicit Archive(Eigen::Index dimension) : dimension_(dimension) {}

  // value: see archive_value(); error: its standard error, 0 where it is unknown. Codes (D).
  void add(TrialId id, ConstVectorRef code, double value, double error = 0.0);
  void sort();  // after the last add() of a tell and before anything below

  int size() const { return static_cast<int>(values_.size()); }
  // Index of the result at `rank`; 0 is the best, the earlier one of equals.
  int at_rank(int rank) const { return order_[static_cast<std::size_t>(rank)]; }
  double value(int index) const { return values_[static_cast<std::size_t>(index)]; }
  double error(int index) const { return errors_[static_cast<std::size_t>(index)]; }
  TrialId id(int index) const { return ids_[static_cast<std::size_t>(index)]; }
  Eigen::Map<const Vector> code(int index) const {
    return {codes_.data() + static_cast<std::ptrdiff_t>(index) * dimension_, dimension_};
  }
  Eigen::Map<const Matrix> codes() const { return {codes_.data(), dimension_, size()}; }  // (D,N)
  // Rank of a result, or the average rank of all that share its value.
  double shared_rank(int index) const;
  double value_at_rank(double rank) const;  // interpolated; the lowest finite value below it

  int succeeded() const;  // results that have not failed
  int feasible() const;   // ... and are within all limits
  bool is_feasible(double value) const { return value > infeasible_; }
  // The lowest value of a feasible result, or of any when there is none.
  double lowest_feasible() const;

  Replay replay(double uniform_share, int elite) const;

 private:
  Eigen::Index dimension_;
  double infeasible_ = -std::numeric_limits<double>::infinity();  // values up to here
  std::vector<double> codes_;                                     // (D,N)
  std::vector<double> values_, errors_;
  std::vector<TrialId> ids_;
  std::vector<int> order_;  // indices, best value first
  std::size_t sorted_ = 0;  // how many of them are in order
};

}  // namespace vbo

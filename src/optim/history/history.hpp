// SPDX-License-Identifier: MIT
// What a method knows of its study: the results in the order they were told, as codes in the unit
// cube with their outcomes; which of them repeat the same point; and the points that are still out.
// The one place for this: methods keep nothing of the kind themselves. A pure function of the
// trials it was given, so nothing of it goes into a snapshot. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/order.hpp"
#include "optim/encoding.hpp"
#include "optim/history/places.hpp"
#include "optim/success.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// All results at one place. Failures do not count.
struct Repeats {
  Eigen::Index first = 0;   // the first result there
  Eigen::Index count = 0;   // results with a value
  double mean = 0.0;        // of their values
  double deviations = 0.0;  // sum of squared deviations from the mean

  // Of a single value there; nothing is known with less than two.
  std::optional<double> variance() const;
};

class History {
 public:
  // infeasible_fail: for methods without models of feasibility, to which infeasible results are
  // failures.
  explicit History(const Encoding& encoding, bool infeasible_fail = false);

  // -- Trials. --
  // The code of the point, not the code it was decoded from: they may differ in the last bits, and
  // whoever resumes the study knows the point alone.
  void asked(TrialId id, const Point& point);
  // Within one call trials are taken in the order of their ids.
  void told(std::span<const Trial> finished);
  // All trials of a history: told ones by (told_in, id), open ones as pending.
  void restore(std::span<const Trial> history);

  // -- Results, 0 <= i < size(), in the order in which they were told. --
  Eigen::Index size() const { return static_cast<Eigen::Index>(ids_.size()); }
  Eigen::Index successes() const { return successes_; }
  TrialId id(Eigen::Index i) const { return ids_[at(i)]; }
  auto code(Eigen::Index i) const { return codes_.col(i); }                // (D)
  auto codes(Eigen::Index count) const { return codes_.leftCols(count); }  // (D,count)
  // Of the first objective, in the sign that is maximized, within +-1e300; not a number when the
  // trial failed.
  double value(Eigen::Index i) const { return values_[at(i)]; }
  // All values and their standard errors as they were told; empty when it failed, or is unknown.
  std::span<const double> values(Eigen::Index i) const { return outcomes_[at(i)].values; }
  std::span<const double> standard_error(Eigen::Index i) const {
    return outcomes_[at(i)].standard_error;
  }
  // What results of one objective are compared by (core/order.hpp).
  const Standing& standing(Eigen::Index i) const { return standings_[at(i)]; }
  bool feasible(Eigen::Index i) const { return standing(i).is_feasible(); }
  Success success(Eigen::Index i) const { return successes_by_[at(i)]; }
  std::span<const Success> successes_of(Eigen::Index count) const {  // the first `count`
    return std::span(successes_by_).first(at(count));
  }
  // How far metrics lie outside each bound, see relative_excesses().
  auto excesses(Eigen::Index i) const { return excesses_.col(i); }
  Eigen::Index bounds() const { return excesses_.rows(); }

  // -- Repeats. --
  Eigen::Index place_of(Eigen::Index i) const { return place_of_[at(i)]; }
  const std::vector<Repeats>& places() const { return repeats_; }  // in the order of their first

  // -- Points. --
  Matrix pending() const;  // (D,k) in the order of ids
  const std::map<TrialId, Vector>& open() const { return pending_; }
  // Whether x (D) is a point told or pending.
  bool contains(ConstVectorRef x) const;

 private:
  struct Told {
    std::vector<double> values, standard_error;
  };
  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
  void add(const Trial& trial);
  void add_to_place(Eigen::Index i);

  const Encoding& encoding_;
  Order order_;
  bool infeasible_fail_;
  Matrix codes_;     // (D,capacity)
  Matrix excesses_;  // (bounds,capacity)
  std::vector<TrialId> ids_;
  std::vector<double> values_;
  std::vector<Told> outcomes_;
  std::vector<Standing> standings_;
  std::vector<Success> successes_by_;
  std::vector<Eigen::Index> place_of_;
  std::vector<Repeats> repeats_;
  Places told_places_;
  Eigen::Index successes_ = 0;
  std::map<TrialId, Vector> pending_;
};

}  // namespace vbo

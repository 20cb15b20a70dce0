// SPDX-License-Identifier: MIT
// Which points of a finite space to evaluate once more, when every one has been evaluated and the
// budget has room. Whether that pays is found by evaluating the best point again: equal results are
// evidence of no noise, and then nothing is evaluated again. Where results of one point differ, or
// came with standard errors, evaluations go to the points that may be the best, those with the
// fewest results first, as in a race [Maron1994]. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/order.hpp"
#include "vbo/trial.hpp"

namespace vbo::study {

class Resampling {
 public:
  Resampling(std::span<const Objective> objectives, std::span<const Limit> limits);

  // Values in the user's sign; a trial is counted once as asked, open or not, and once as ended.
  void count_asked(const Trial& trial);
  void count_ended(const Trial& trial);

  // The points to evaluate again, at most n, each by its first trial; one may come several times.
  // None where there is no noise, and, while that is not known, where evaluations are open.
  std::vector<TrialId> choose(std::int64_t n) const;
  // How many evaluations of this point were asked for, and the point.
  std::int64_t evaluations(TrialId first) const { return points_.at(first).asked; }
  const Point& point(TrialId first) const { return points_.at(first).mean.point; }

 private:
  struct PointResults {
    std::int64_t asked = 0, ended = 0;
    double results = 0.0;            // with values
    Trial mean;                      // the point, and the means of values and metrics
    std::vector<double> deviations;  // per objective, the sum of squares around the mean
    std::vector<double> known;       // per objective, the sum of squared standard errors given
  };
  enum class Evidence { open, none, noise };
  struct Spread {
    std::vector<double> variance;  // of one result, per objective
    double reach = 0.0;            // standard errors that a difference has to exceed
  };

  PointResults& at(const Trial& trial);
  Evidence evidence() const;
  std::int64_t probes_allowed() const;
  Spread spread() const;
  bool is_beaten(const PointResults& one, const PointResults& other, const Spread& spread) const;
  // Points with results, the best first; with several objectives those of the front first.
  std::vector<TrialId> ranked() const;
  std::vector<TrialId> contenders() const;

  const std::size_t objectives_;
  const Order order_;
  const std::vector<Objective> goals_;
  std::map<Point, TrialId> firsts_;
  std::map<TrialId, PointResults> points_;  // by the first trial
};

}  // namespace vbo::study

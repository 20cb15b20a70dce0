// SPDX-License-Identifier: MIT
#include "study/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace vbo::study {
namespace {

constexpr double kEqualResults = 1e-12;  // relative
// Where different points have equal values, as counts and yes or no have, two equal results of one
// point may be chance: so many points are then evaluated again before there is evidence.
constexpr std::int64_t kProbesWithTies = 4;
// Standard errors by which a point has to be worse to be left out: about Student's 97.5% quantile
// for 1, 2, 3, ... degrees of freedom.
double reach_with(double freedom) { return 2.0 + 10.0 / (freedom * freedom); }

}  // namespace

Resampling::Resampling(std::span<const Objective> objectives, std::span<const Limit> limits)
    : objectives_(objectives.size()),
      order_({objectives.begin(), objectives.end()}, limits),
      goals_(objectives.begin(), objectives.end()) {}

Resampling::PointResults& Resampling::at(const Trial& trial) {
  const auto [found, fresh] = firsts_.try_emplace(trial.point, trial.id);
  PointResults& there = points_[found->second];
  if (fresh) {
    there.mean.id = trial.id;
    there.mean.point = trial.point;
    there.deviations.assign(objectives_, 0.0);
    there.known.assign(objectives_, 0.0);
  }
  return there;
}

void Resampling::count_asked(const Trial& trial) { ++at(trial).asked; }

void Resampling::count_ended(const Trial& trial) {
  PointResults& there = at(trial);
  ++there.ended;
  if (trial.values.size() != objectives_) return;
  const double n = ++there.results;
  there.mean.state = TrialState::completed;
  there.mean.values.resize(objectives_, 0.0);
  for (std::size_t m = 0; m < objectives_; ++m) {
    double& mean = there.mean.values[m];
    const double before = trial.values[m] - mean;
    mean += before / n;
    there.deviations[m] += before * (trial.values[m] - mean);
    const double error = m < trial.standard_error.size() ? trial.standard_error[m] : 0.0;
    there.known[m] += error * error;
  }
  for (const auto& [name, value] : trial.metrics) {
    double& mean = there.mean.metrics[name];
    mean += (value - mean) / n;
  }
}

Resampling::Evidence Resampling::evidence() const {
  std::int64_t equal = 0;
  for (const auto& [first, there] : points_) {
    for (std::size_t m = 0; m < objectives_ && there.results > 0.0; ++m) {
      if (there.known[m] > 0.0) return Evidence::noise;
      const double scale = kEqualResults * std::abs(there.mean.values[m]);
      if (there.deviations[m] > there.results * scale * scale) return Evidence::noise;
    }
    equal += there.results > 1.0;
  }
  return equal >= probes_allowed() ? Evidence::none : Evidence::open;
}

std::int64_t Resampling::probes_allowed() const {
  std::set<std::vector<double>> values;
  std::int64_t points = 0;
  for (const auto& [first, there] : points_) {
    if (there.results == 0.0) continue;
    ++points;
    values.insert(there.mean.values);
  }
  return std::min(points, std::ssize(values) < points ? kProbesWithTies : 1);
}

Resampling::Spread Resampling::spread() const {
  Spread found{std::vector<double>(objectives_, 0.0), 0.0};
  double freedom = 0.0, results = 0.0;
  std::vector<double> known(objectives_, 0.0);
  for (const auto& [first, there] : points_) {
    if (there.results == 0.0) continue;
    freedom += there.results - 1.0;
    results += there.results;
    for (std::size_t m = 0; m < objectives_; ++m) {
      found.variance[m] += there.deviations[m];
      known[m] += there.known[m];
    }
  }
  for (std::size_t m = 0; m < objectives_; ++m) {
    const double pooled = freedom > 0.0 ? found.variance[m] / freedom : 0.0;
    found.variance[m] = std::max(pooled, known[m] / std::max(results, 1.0));
  }
  found.reach = freedom > 0.0 ? reach_with(freedom) : 2.0;
  return found;
}

// In every objective, by more than the noise explains; what is feasible beats what is not.
bool Resampling::is_beaten(const PointResults& one, const PointResults& other,
                           const Spread& spread) const {
  if (order_.feasible(one.mean) != order_.feasible(other.mean)) return !order_.feasible(one.mean);
  for (std::size_t m = 0; m < objectives_; ++m) {
    const double sign = goals_[m].goal == Goal::minimize ? 1.0 : -1.0;
    const double gap = sign * (one.mean.values[m] - other.mean.values[m]);
    const double error = std::sqrt(spread.variance[m] * (1.0 / one.results + 1.0 / other.results));
    if (!(gap > spread.reach * error)) return false;
  }
  return true;
}

std::vector<TrialId> Resampling::ranked() const {
  std::vector<Trial> means;
  for (const auto& [first, there] : points_) {
    if (there.results > 0.0) means.push_back(there.mean);
  }
  std::set<TrialId> front;
  if (objectives_ > 1) {
    for (const std::size_t i : order_.front(means)) front.insert(means[i].id);
  }
  std::ranges::stable_sort(means, [&](const Trial& a, const Trial& b) {
    if (objectives_ > 1) return front.contains(a.id) && !front.contains(b.id);
    return order_.standing(a) > order_.standing(b);
  });
  std::vector<TrialId> ids;
  for (const Trial& mean : means) ids.push_back(mean.id);
  return ids;
}

// And the second best, for its difference from the best is what is left to know.
std::vector<TrialId> Resampling::contenders() const {
  std::vector<TrialId> best = ranked();
  const Spread noise = spread();
  std::vector<TrialId> left;
  for (std::size_t i = 0; i < best.size(); ++i) {
    const PointResults& one = points_.at(best[i]);
    const auto beats = [&](TrialId other) { return is_beaten(one, points_.at(other), noise); };
    if (i < 2 || std::ranges::none_of(left, beats)) left.push_back(best[i]);
  }
  return left;
}

std::vector<TrialId> Resampling::choose(std::int64_t n) const {
  const Evidence found = evidence();
  if (found == Evidence::none) return {};
  if (found == Evidence::open) {
    for (const auto& [first, there] : points_) {
      if (there.asked > there.ended) return {};
    }
    for (const TrialId first : ranked()) {
      if (points_.at(first).results == 1.0) return {first};
    }
    return {};
  }
  const std::vector<TrialId> left = contenders();
  std::map<TrialId, std::int64_t> asked;
  for (const TrialId first : left) asked[first] = evaluations(first);
  std::vector<TrialId> chosen;
  while (std::ssize(chosen) < n && !left.empty()) {
    const TrialId next =
        *std::ranges::min_element(left, {}, [&](TrialId first) { return asked.at(first); });
    ++asked[next];
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace vbo::study

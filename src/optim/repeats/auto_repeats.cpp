// SPDX-License-Identifier: MIT
#include "optim/repeats/auto_repeats.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vbo {
namespace {

constexpr std::int64_t kEvaluationsPerProbe = 100;  // evaluations of the budget
constexpr std::int64_t kMostProbes = 2;
constexpr std::int64_t kFewestToRepeat = 16;  // before anything is evaluated again
constexpr double kFinalShare = 0.1;       // of the budget, for choosing among the leading points
constexpr double kMostRepeatShare = 0.5;  // of the evaluations before that
constexpr double kRecentShare = 0.25;     // of the points
constexpr double kLeastGainShare = 1e-4;  // of the spread of the values
constexpr double kEqualResults = 1e-12;   // relative

TrialId first_trial_of(const Trial& trial) {
  return trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id;
}

bool is_repeat(const Trial& trial) { return trial.rationale.origin == Origin::repeat; }

}  // namespace

AutoRepeats::AutoRepeats(std::unique_ptr<Optimizer> inner, const Space& space,
                         const OptimizerOptions& options)
    : inner_(std::move(inner)),
      encoding_(space),
      order_(Order::maximizing(space)),
      seed_(options.seed),
      budget_(options.budget),
      batch_(options.batch) {}

std::int64_t AutoRepeats::allowed_probes() const {
  const std::int64_t evaluations = budget_ > 0 ? budget_ : asked_;
  return std::min(kMostProbes, evaluations / kEvaluationsPerProbe);
}

std::int64_t AutoRepeats::results() const {
  std::int64_t count = 0;
  for (const auto& [first, there] : points_) count += std::ssize(there.results);
  return count;
}

AutoRepeats::Evidence AutoRepeats::evidence() const {
  bool equal = false;
  for (const auto& [first, there] : points_) {
    double low = 0.0, high = 0.0;
    bool any = false;
    for (const auto& [id, trial] : there.results) {
      const double error = trial.standard_error.empty() ? 0.0 : trial.standard_error.front();
      if (error > 0.0) return Evidence::noise;
      const double value = *trial.value();
      low = any ? std::min(low, value) : value;
      high = any ? std::max(high, value) : value;
      any = true;
    }
    if (there.results.size() < 2) continue;
    if (high - low > kEqualResults * std::max(std::abs(low), std::abs(high)))
      return Evidence::noise;
    equal = true;
  }
  return equal ? Evidence::none : Evidence::open;
}

std::vector<TrialId> AutoRepeats::chosen(std::int64_t n) const {
  if (encoding_.dimension() == 0 || results() < std::max(kFewestToRepeat, batch_)) return {};
  switch (evidence()) {
    case Evidence::none:
      return {};
    case Evidence::noise:
      return worth_repeating(n);
    case Evidence::open:
      break;
  }
  if (repeats_ >= allowed_probes()) return {};
  Standing most;
  TrialId best = 0;
  for (const auto& [first, there] : points_) {
    if (there.asked > there.ended && there.asked > 1) return {};  // wait for what is asked already
    if (there.results.empty()) continue;
    const Standing found = order_.standing(there.results.begin()->second);
    if (best != 0 && !(found > most)) continue;
    most = found;
    best = first;
  }
  return best == 0 ? std::vector<TrialId>() : std::vector<TrialId>{best};
}

std::vector<TrialId> AutoRepeats::worth_repeating(std::int64_t n) const {
  std::vector<TrialId> firsts;
  std::vector<LeaderResults> inputs;
  const auto recent = static_cast<std::int64_t>(kRecentShare * static_cast<double>(points_.size()));
  std::int64_t position = 0;
  for (const auto& [first, there] : points_) {
    const bool is_recent = ++position > std::ssize(points_) - recent;
    if (there.results.empty()) continue;
    LeaderResults input{.code = encoding_.encode(there.point), .recent = is_recent};
    std::int64_t feasible = 0;
    for (const auto& [id, trial] : there.results) {
      input.values.push_back(*trial.value());
      input.errors.push_back(trial.standard_error.empty() ? 0.0 : trial.standard_error.front());
      feasible += order_.feasible(trial);
    }
    input.feasible = 2 * feasible > std::ssize(there.results);
    input.pending = there.asked - there.ended;
    firsts.push_back(first);
    inputs.push_back(std::move(input));
  }
  std::optional<Leaders> leaders = Leaders::of(encoding_, inputs, seed_);
  if (!leaders) return {};
  const double of_new =
      leaders->recent_gain() / static_cast<double>(std::max<std::int64_t>(recent, 1));
  const auto final_from =
      static_cast<std::int64_t>((1.0 - kFinalShare) * static_cast<double>(budget_));
  std::vector<TrialId> again;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool is_final = budget_ > 0 && asked_ + k >= final_from;
    const Leaders::Choice choice = leaders->choose();
    const bool room = 2 * std::ssize(again) < n + (n == 1) &&
                      static_cast<double>(repeats_ + std::ssize(again)) <
                          kMostRepeatShare * static_cast<double>(asked_ + k);
    const double least = std::max(is_final ? 0.0 : of_new, kLeastGainShare * leaders->spread());
    if (!(is_final || room) || !(choice.gain > least)) continue;
    leaders->expect(choice.point);
    again.push_back(firsts[choice.point]);
  }
  return again;
}

std::vector<Suggestion> AutoRepeats::ask(std::span<const TrialId> ids) {
  const std::vector<TrialId> again = chosen(std::ssize(ids));
  std::vector<Suggestion> suggestions;
  for (const TrialId first : again) {
    RepeatedPoint& there = points_.at(first);
    ++there.asked;
    suggestions.push_back({there.point,
                           {.source = "repeat",
                            .origin = Origin::repeat,
                            .repeat_of = first,
                            .repeat = there.asked}});
  }
  const std::span<const TrialId> rest = ids.subspan(again.size());
  if (!rest.empty()) {
    std::vector<Suggestion> fresh = inner_->ask(rest);
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      points_[rest[k]] = {.point = fresh[k].point, .asked = 1};
      suggestions.push_back(std::move(fresh[k]));
    }
  }
  asked_ += std::ssize(suggestions);
  repeats_ += std::ssize(again);
  return suggestions;
}

// A result of a point that was evaluated again is one from outside to the method within: it has not
// suggested it.
Trial AutoRepeats::take(const Trial& trial) {
  RepeatedPoint& there = points_[first_trial_of(trial)];
  if (trial.rationale.origin == Origin::added) {
    if (there.asked++ == 0) there.point = trial.point;
  }
  ++there.ended;
  // Where another point was set, the result is none of this point.
  if (!trial.suggested && !trial.values.empty()) {
    if (there.results.empty() && !is_repeat(trial)) there.point = trial.point;
    there.results.emplace(trial.id, trial);
  }
  Trial one = trial;
  if (is_repeat(trial)) {
    one.asked_in = one.told_in;
    one.rationale = {.source = "added", .origin = Origin::added};
  }
  return one;
}

void AutoRepeats::tell(std::span<const Trial> finished) {
  std::vector<Trial> told;
  for (const Trial& trial : finished) told.push_back(take(trial));
  if (!told.empty()) inner_->tell(told);
}

Result<void> AutoRepeats::restore(std::string_view snapshot, std::span<const Trial> history) {
  std::vector<Trial> seen;  // what the method within knows
  for (const Trial& trial : history) {
    const bool added = trial.rationale.origin == Origin::added;
    if (!added) {
      RepeatedPoint& there = points_[first_trial_of(trial)];
      ++there.asked;
      if (!is_repeat(trial)) there.point = trial.suggested ? *trial.suggested : trial.point;
      ++asked_;
      repeats_ += is_repeat(trial);
    }
    if (trial.told_in != 0) {
      seen.push_back(take(trial));
    } else if (!is_repeat(trial)) {
      seen.push_back(trial);
    }
  }
  return inner_->restore(snapshot, seen);
}

}  // namespace vbo

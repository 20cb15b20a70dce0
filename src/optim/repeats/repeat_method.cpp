// SPDX-License-Identifier: MIT
#include "optim/repeats/repeat_method.hpp"

#include <algorithm>
#include <utility>

namespace vbo {
namespace {

TrialId first_of(const Trial& trial) {
  return trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id;
}

bool was_added(const Trial& trial) {
  return trial.has_ended() && trial.asked_in == trial.told_in && trial.told_in != 0;
}

PooledVariance::Results pointers_to(std::vector<Trial>& trials) {
  std::ranges::sort(trials, {}, &Trial::id);
  PooledVariance::Results results;
  for (const Trial& trial : trials) results.push_back(&trial);
  return results;
}

// Results from outside, those of one point as one.
std::vector<Trial> merged_by_point(std::vector<Trial> added, PooledVariance& variance) {
  std::map<TrialId, std::vector<Trial>> points;
  for (Trial& trial : added) points[first_of(trial)].push_back(std::move(trial));
  for (auto& [id, results] : points) variance.add(pointers_to(results));
  std::vector<Trial> merged;
  for (auto& [id, results] : points) {
    merged.push_back(results.size() == 1 ? results.front() : variance.merged(pointers_to(results)));
  }
  return merged;
}

}  // namespace

OptimizerOptions options_of_points(OptimizerOptions options) {
  const std::int64_t repeats = std::max<std::int64_t>(options.repeats, 1);
  const auto share = [&](std::int64_t evaluations) {
    return (evaluations + repeats - 1) / repeats;
  };
  options.batch = share(options.batch);
  options.budget = share(options.budget);
  options.repeats = 1;
  return options;
}

RepeatMethod::RepeatMethod(std::unique_ptr<Optimizer> inner, std::int64_t repeats)
    : inner_(std::move(inner)), repeats_(repeats) {}

std::vector<Suggestion> RepeatMethod::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions(ids.size());
  std::size_t next = 0;
  const auto repeat = [&](TrialId first, RepeatedPoint& there) {
    for (; there.asked < repeats_ && next < ids.size(); ++next) {
      ++there.asked;
      suggestions[next] = {there.point,
                           {.source = "repeat",
                            .origin = Origin::repeat,
                            .repeat_of = first,
                            .repeat = there.asked}};
    }
  };
  for (auto& [first, there] : points_) repeat(first, there);
  std::vector<TrialId> firsts;
  for (std::size_t i = next; i < ids.size(); i += static_cast<std::size_t>(repeats_)) {
    firsts.push_back(ids[i]);
  }
  if (firsts.empty()) return suggestions;
  std::vector<Suggestion> fresh = inner_->ask(firsts);
  for (std::size_t k = 0; k < std::min(firsts.size(), fresh.size()); ++k) {
    RepeatedPoint& there = points_[firsts[k]];
    there = {.point = fresh[k].point, .asked = 1};
    suggestions[next++] = std::move(fresh[k]);
    repeat(firsts[k], there);
  }
  suggestions.resize(next);  // shorter only when the method within is
  return suggestions;
}

void RepeatMethod::take(Trial trial, std::vector<Trial>& others) {
  const auto found = points_.find(first_of(trial));
  if (found == points_.end() || was_added(trial)) {
    others.push_back(std::move(trial));
    return;
  }
  ++found->second.ended;
  // Where another point was set, the result is no repeat.
  if (trial.suggested && trial.id == found->first) found->second.first_moved = true;
  (trial.suggested ? others : found->second.there).push_back(std::move(trial));
}

void RepeatMethod::merge_finished(std::vector<Trial>& told) {
  const auto is_finished = [&](const RepeatedPoint& p) {
    return p.asked >= repeats_ && p.ended >= p.asked;
  };
  // First all of one tell, so that the order within it does not matter.
  for (auto& [first, there] : points_) {
    if (is_finished(there)) variance_.add(pointers_to(there.there));
  }
  for (auto& [first, there] : points_) {
    if (!is_finished(there) || there.there.empty()) continue;
    Trial one = variance_.merged(pointers_to(there.there));
    if (!there.first_moved) one.id = first;  // also when that evaluation was dropped
    told.push_back(std::move(one));
  }
  std::erase_if(points_, [&](const auto& entry) { return is_finished(entry.second); });
}

void RepeatMethod::tell(std::span<const Trial> finished) {
  std::vector<Trial> told, added;
  for (const Trial& trial : finished) take(trial, was_added(trial) ? added : told);
  merge_finished(told);
  for (Trial& trial : merged_by_point(std::move(added), variance_))
    told.push_back(std::move(trial));
  std::ranges::stable_sort(told, {}, &Trial::id);
  if (!told.empty()) inner_->tell(told);
}

Result<void> RepeatMethod::restore(std::string_view snapshot, std::span<const Trial> history) {
  // The same tells once more, without the method within.
  std::map<EventId, std::vector<const Trial*>> tells;
  std::vector<Trial> seen;  // what the method within knows
  std::map<TrialId, Trial> firsts;
  for (const Trial& trial : history) {
    if (trial.told_in != 0) tells[trial.told_in].push_back(&trial);
    if (was_added(trial)) continue;
    RepeatedPoint& there = points_[first_of(trial)];
    ++there.asked;
    Trial open = trial;
    forget_outcome(open);
    open.state = TrialState::waiting;
    open.told_in = 0;
    if (open.suggested) open.point = *std::exchange(open.suggested, std::nullopt);
    there.point = open.point;
    open.id = first_of(trial);  // also when the first evaluation itself was dropped
    open.rationale.repeat_of = 0;
    firsts.emplace(open.id, std::move(open));
  }
  for (const auto& [event, trials] : tells) {
    std::vector<Trial> told, added;
    for (const Trial* trial : trials) take(*trial, was_added(*trial) ? added : told);
    merge_finished(told);
    for (Trial& trial : merged_by_point(std::move(added), variance_)) {
      told.push_back(std::move(trial));
    }
    for (Trial& trial : told) {
      firsts.erase(trial.id);
      seen.push_back(std::move(trial));
    }
  }
  for (auto& [id, open] : firsts) {
    if (points_.contains(id)) seen.push_back(std::move(open));
  }
  std::ranges::stable_sort(seen, {}, &Trial::id);
  return inner_->restore(snapshot, seen);
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "optim/vbo/shares.hpp"

#include <algorithm>
#include <cmath>

#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr Source kSources[] = {Source::mutation, Source::gradient_ascent, Source::local};

// Chance that a value of `a` is above one of `b`, ties counting half; both sorted.
double chance_to_win(const std::vector<double>& a, const std::vector<double>& b) {
  double won = 0.0;
  for (const double value : a) {
    const auto [first, last] = std::equal_range(b.begin(), b.end(), value);
    won += static_cast<double>(first - b.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return won / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

}  // namespace

double Shares::win_rate(Source source) const {
  const auto known = wins_.find(source);
  return known == wins_.end() ? 0.5 : known->second;
}

void Shares::learn(Source source, double value) {
  if (source == Source::design) return;
  std::vector<double>& results = results_[source];
  if (results.size() == Tuning::share_most) results.erase(results.begin());
  results.push_back(value);
}

void Shares::advance() {
  const auto own_results = results_.find(Source::local);
  if (own_results == results_.end() || own_results->second.size() < Tuning::share_fewest)
    return;  // batches may be small
  for (auto& [source, results] : results_) std::sort(results.begin(), results.end());
  for (const auto& [source, results] : results_) {
    double sum = 0.0;
    int opponents = 0;
    for (const auto& [other, theirs] : results_) {
      if (other == source) continue;
      sum += chance_to_win(results, theirs);
      ++opponents;
    }
    if (opponents == 0) continue;
    wins_[source] =
        Tuning::share_memory * win_rate(source) + (1.0 - Tuning::share_memory) * sum / opponents;
  }
  results_.clear();
}

double Shares::weight(Source source, ShareState state) const {
  const double success = std::pow(2.0 * win_rate(source), Tuning::share_power);
  const auto at_least = [&](double floor) { return std::max(success, floor); };
  switch (source) {
    case Source::mutation:
      return options_.mutation_share * at_least(Tuning::mutation_floor);
    case Source::gradient_ascent:
      return state.ascends ? options_.gradient_share * at_least(Tuning::floor) : 0.0;
    case Source::local:
      return Tuning::local_search_weight * at_least(Tuning::local_search_floor);
    case Source::design:
    case Source::action_net:
    case Source::refinement:
    case Source::incumbent_mutation:
    case Source::expected_improvement:
    case Source::quadratic_optimum:
      return 0.0;
  }
  return 0.0;
}

double Shares::by_success(Source source, ShareState state) const {
  const double own = weight(Source::local, state);
  double others = 0.0;
  for (const Source s : kSources) others += s == Source::local ? 0.0 : weight(s, state);
  if (others <= 0.0) return source == Source::local ? 1.0 : 0.0;
  const double least =
      state.narrow ? Tuning::local_search_least_narrow : Tuning::local_search_least;
  const double local = std::max(own / (own + others), least);
  return source == Source::local ? local : weight(source, state) / others * (1.0 - local);
}

double Shares::of(Source source, ShareState state) const {
  if (!state.narrow || !state.mutations) return by_success(source, state);
  if (source == Source::mutation) return *state.mutations;
  const double others = 1.0 - by_success(Source::mutation, state);
  return by_success(source, state) * (1.0 - *state.mutations) / others;
}

void Shares::write(StateWriter& out) const {
  for (const Source source : kSources) out.put(win_rate(source));
  out.put<std::int64_t>(static_cast<std::int64_t>(results_.size()));
  for (const auto& [source, results] : results_) {
    out.put(static_cast<std::int32_t>(source)).put<std::int64_t>(std::ssize(results));
    for (const double value : results) out.put(value);
  }
}

void Shares::read(StateReader& in) {
  for (const Source source : kSources) wins_[source] = in.get_number(0.0, 1.0);
  results_.clear();
  constexpr auto last = static_cast<std::int32_t>(Source::mutation);
  constexpr auto most = static_cast<std::int64_t>(Tuning::share_most);
  for (auto sources = in.get_length(last + 1, 1); sources > 0 && in.ok(); --sources) {
    const auto source = static_cast<Source>(in.get_small(0, last));
    if (results_.contains(source)) in.fail();
    const auto count = in.get_length(most, sizeof(double));
    if (count == 0) in.fail();  // a source is there because it has results
    for (std::int64_t i = 0; i < count; ++i) results_[source].push_back(in.get_outcome());
  }
}

}  // namespace vbo

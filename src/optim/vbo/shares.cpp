// SPDX-License-Identifier: MIT
#include "optim/vbo/shares.hpp"

#include <algorithm>

namespace vbo {
namespace {

constexpr double kMemory = 0.5;
constexpr std::size_t kMost = 256;  // results of a source that are kept for one comparison
constexpr std::size_t kFewest = 3;  // results of the leader that have a median worth the name
// Least and largest shares, in parts of what the options give.
constexpr double kActionFloor = 0.1;
constexpr double kJumpFloor = 0.5, kJumpCeiling = 2.0;
constexpr double kSecondFloor = 0.1, kSecondFloorInTheRace = 0.5;
constexpr Source kMeasured[] = {Source::action_net, Source::elsewhere, Source::jump};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double Shares::win_rate(Source source) const {
  const auto known = wins_.find(source);
  return known == wins_.end() ? 0.5 : known->second;
}

void Shares::learn(Source source, double value) {
  if (source == Source::design) return;
  std::vector<double>& results = results_[source];
  if (results.size() == kMost) results.erase(results.begin());
  results.push_back(value);
}

void Shares::advance() {
  const std::vector<double>& leader = results_[Source::local];
  if (leader.size() >= kFewest) {  // else they wait for the next round: batches may be small
    const double bar = median(leader);
    for (const Source source : kMeasured) {
      const std::vector<double>& results = results_[source];
      if (results.empty()) continue;
      double won = 0.0;
      for (const double value : results) won += value > bar ? 1.0 : value == bar ? 0.5 : 0.0;
      const double rate = won / static_cast<double>(results.size());
      wins_[source] = kMemory * win_rate(source) + (1.0 - kMemory) * rate;
    }
    results_.clear();
  }
}

double Shares::action_net() const {
  return options_.action_share * std::clamp(2.0 * win_rate(Source::action_net), kActionFloor, 1.0);
}

double Shares::jump() const {
  return options_.jump_share * std::clamp(2.0 * win_rate(Source::jump), kJumpFloor, kJumpCeiling);
}

double Shares::second(bool leader_has_decided) const {
  const double most = options_.second_share;
  const double least = most * (leader_has_decided ? kSecondFloor : kSecondFloorInTheRace);
  return std::clamp(win_rate(Source::elsewhere), least, most);
}

void Shares::write(StateWriter& out) const {
  for (const Source source : kMeasured) out.put(win_rate(source));
  out.put<std::int64_t>(static_cast<std::int64_t>(results_.size()));
  for (const auto& [source, results] : results_) {
    out.put(static_cast<std::int32_t>(source)).put<std::int64_t>(std::ssize(results));
    for (const double value : results) out.put(value);
  }
}

void Shares::read(StateReader& in) {
  for (const Source source : kMeasured) wins_[source] = in.get<double>();
  results_.clear();
  for (auto sources = in.get<std::int64_t>(); sources > 0 && in.ok(); --sources) {
    const auto source = static_cast<Source>(in.get<std::int32_t>());
    for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) {
      results_[source].push_back(in.get<double>());
    }
  }
}

}  // namespace vbo

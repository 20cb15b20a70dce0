// SPDX-License-Identifier: MIT
#include "study/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {
namespace {

constexpr double kFlat = 0.05;

}  // namespace

bool nothing_left_to_learn(std::span<const RoundReport> reports, const RunOptions& options) {
  const auto rounds = static_cast<std::size_t>(std::max(options.stop_rounds, 1));
  if (options.stop_information <= 0.0 || reports.size() < rounds) return false;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const RoundReport& entry : reports.last(rounds)) {
    const auto& information = entry.report.information;
    if (!information || !information->predicted) return false;
    if (!(*information->predicted < options.stop_information)) return false;
    if (const std::optional<double>& exploitation = entry.report.exploitation) {
      if (!std::isfinite(*exploitation)) return false;
      low = std::min(low, *exploitation);
      high = std::max(high, *exploitation);
    }
  }
  return low > high || high - low <= kFlat * std::max(std::abs(low), std::abs(high));
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "study/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {
namespace {

constexpr double kFlat = 0.05;

}  // namespace

std::string_view to_string(RunEnd end) {
  switch (end) {
    case RunEnd::budget_spent:
      return "budget_spent";
    case RunEnd::interrupted:
      return "interrupted";
    case RunEnd::too_many_failures:
      return "too_many_failures";
    case RunEnd::no_more_information:
      return "no_more_information";
    case RunEnd::space_exhausted:
      return "space_exhausted";
    case RunEnd::time_over:
      return "time_over";
    case RunEnd::good_enough:
      return "good_enough";
    case RunEnd::setup_failure:
      return "setup_failure";
  }
  return "?";
}

bool nothing_left_to_learn(std::span<const RoundReport> reports, const StopRule& rule) {
  const auto rounds = static_cast<std::size_t>(std::max(rule.rounds, 1));
  if (rule.information <= 0.0 || reports.size() < rounds) return false;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const RoundReport& entry : reports.last(rounds)) {
    const auto& information = entry.report.information;
    if (!information || !information->predicted) return false;
    if (!(*information->predicted < rule.information)) return false;
    if (const std::optional<double>& exploitation = entry.report.exploitation) {
      if (!std::isfinite(*exploitation)) return false;
      low = std::min(low, *exploitation);
      high = std::max(high, *exploitation);
    }
  }
  return low > high || high - low <= kFlat * std::max(std::abs(low), std::abs(high));
}

}  // namespace vbo

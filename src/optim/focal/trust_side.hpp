// SPDX-License-Identifier: MIT
// The side of FocalBO's trust region (Wei et al. 2024, after Eriksson et al. 2019): it doubles
// after ten successful rounds in a row, halves after a few failed ones, and begins anew, with all
// data kept, when it has become tiny. Unlike TuRBO's it never starts over elsewhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vbo {

// Failed rounds in a row before the side halves: ceil(min(1000/q, max(4/q, d/q))).
inline std::int64_t failure_tolerance(double parameters, double batch) {
  const double rounds = std::min(1000.0 / batch, std::max(4.0, parameters) / batch);
  return static_cast<std::int64_t>(std::ceil(rounds));
}

struct TrustSide {
  static constexpr double start = 0.8, least = 0.0078125, most = 1.6;  // of the unit cube
  static constexpr std::int64_t success_tolerance = 10;

  double side = start;
  std::int64_t successes = 0, failures = 0;  // rounds in a row

  void update(bool success, std::int64_t tolerance) {
    successes = success ? successes + 1 : 0;
    failures = success ? 0 : failures + 1;
    if (successes >= success_tolerance) {
      side = std::min(2.0 * side, most);
      successes = 0;
    } else if (failures >= tolerance) {
      side *= 0.5;
      failures = 0;
    }
    if (side < least) *this = {};
  }
};

}  // namespace vbo

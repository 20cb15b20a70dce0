// SPDX-License-Identifier: MIT
// A monotone map of outcomes that makes them easier to model. With u = (y - low) / (high - low):
//   linear    w = u
//   low       w = log(u + e)        spreads the worst values apart: peaks on a plain
//   high      w = -log(1 - u + e)   spreads the best values apart: valleys with steep walls
// Outside [0,1] the map goes on as a straight line. Which one fits is decided by the likelihood of
// the model, Jacobian included (Snelson et al. 2004, with a finite family).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "numerics/linalg.hpp"

namespace vbo {

struct Warp {
  enum class Kind { linear, low, high };
  Kind kind = Kind::linear;
  double e = 1.0;
  double floor = 0.0, range = 1.0;  // y = floor + range u

  static constexpr int count = 7;
  // The choices, 0 (linear) to count - 1, spread over the values y.
  static Warp choice(int index, ConstVectorRef y) {
    constexpr std::array<Kind, count> kinds{Kind::linear, Kind::low,  Kind::low, Kind::high,
                                            Kind::high,   Kind::high, Kind::high};
    constexpr std::array<double, count> widths{1.0, 0.1, 0.01, 0.1, 0.01, 1e-3, 1e-4};
    const double low = y.minCoeff(), range = y.maxCoeff() - low;
    const auto i = static_cast<std::size_t>(index);
    return {kinds[i], widths[i], low, range > 0.0 && std::isfinite(range) ? range : 1.0};
  }

  // The choices in the order of their bend, from spreading the worst to spreading the best: the one
  // `steps` further than `index`, if there is one.
  static std::optional<int> neighbour(int index, int steps) {
    constexpr std::array<int, count> by_bend{2, 1, 0, 3, 4, 5, 6};
    const auto at = std::find(by_bend.begin(), by_bend.end(), index) - by_bend.begin() + steps;
    if (at < 0 || at >= count) return std::nullopt;
    return by_bend[static_cast<std::size_t>(at)];
  }

  double operator()(double y) const {
    const double u = (y - floor) / range;
    if (kind == Kind::low) return u < 0.0 ? std::log(e) + u / e : std::log(u + e);
    if (kind == Kind::high) return u > 1.0 ? -std::log(e) + (u - 1.0) / e : -std::log(1.0 - u + e);
    return u;
  }
  double log_slope(double y) const {  // log dw/du
    const double u = (y - floor) / range;
    if (kind == Kind::low) return -std::log(std::max(u, 0.0) + e);
    if (kind == Kind::high) return -std::log(1.0 - std::min(u, 1.0) + e);
    return 0.0;
  }
  double inverse(double w) const {
    double u = w;
    if (kind == Kind::low) u = w < std::log(e) ? (w - std::log(e)) * e : std::exp(w) - e;
    if (kind == Kind::high) {
      u = w > -std::log(e) ? 1.0 + (w + std::log(e)) * e : 1.0 + e - std::exp(-w);
    }
    return floor + range * u;
  }
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "optim/history/places.hpp"

namespace vbo {

double Places::project(ConstVectorRef code) {
  // Weights that are no multiples of each other, so that different points rarely coincide.
  double sum = 0.0;
  double weight = 0.5;
  for (const double x : code) {
    sum += weight * x;
    weight = weight * 0.6180339887498949 + 0.3;
  }
  return sum;
}

std::optional<Places::Tag> Places::find(ConstVectorRef code, double tolerance) const {
  // All weights lie in [0.5, 0.79], so the projection moves by at most this much.
  const double reach = 0.8 * static_cast<double>(code.size()) * tolerance + 1e-12;
  const double centre = project(code);
  const auto last = places_.upper_bound(centre + reach);
  std::optional<Tag> found;
  for (auto it = places_.lower_bound(centre - reach); it != last; ++it) {
    const auto& [place, tag] = it->second;
    if (((place - code).array().abs() > tolerance).any()) continue;
    if (!found || tag < *found) found = tag;
  }
  return found;
}

}  // namespace vbo

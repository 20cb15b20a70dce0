// SPDX-License-Identifier: MIT
// How likely to succeed a candidate has to be.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "numerics/linalg.hpp"
#include "optim/success.hpp"

namespace vbo {

// Of the surrogate methods; the flagship's are in vbo/constants.hpp. The share of a batch that
// looks for the border, and how likely those are to succeed at least.
inline constexpr double kSuccessWanted = 0.9, kSuccessProbed = 0.4, kProbingShare = 0.08;

// Greedy suggestions press against the bar where an objective falls on beyond a border, all at one
// place, and fail together. The more of the newest results failed, the smaller is this part of the
// doubt that was allowed: 1 while failures are bearable. The first results failed before anybody
// could know where.
inline double boldness_after(std::span<const Success> results) {
  constexpr std::size_t newest = 64;
  constexpr double bearable = 0.04;
  const std::size_t known = results.size() - std::min(results.size(), newest);
  const auto failed = std::ranges::count(results.last(std::min(known, newest)), Success::no);
  const double share = static_cast<double>(failed) / static_cast<double>(newest);
  return share > bearable ? bearable / share : 1.0;
}

// Of the candidates' probabilities of success: what is asked for is `wanted`; where fewer than
// `enough` are so sure, the probability of the enough-th, but never less than a half.
inline double success_bar(const Vector& probabilities, Eigen::Index enough, double wanted) {
  constexpr double least = 0.5;
  std::vector<double> sorted(probabilities.begin(), probabilities.end());
  if (sorted.empty()) return wanted;
  const auto nth = sorted.begin() + std::clamp<Eigen::Index>(enough, 1, probabilities.size()) - 1;
  std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>());
  return std::clamp(*nth, least, wanted);
}

}  // namespace vbo

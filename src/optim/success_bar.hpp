// SPDX-License-Identifier: MIT
// How likely to succeed a candidate has to be, and what an acquisition becomes that knows of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "numerics/linalg.hpp"
#include "numerics/special.hpp"
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

// log EI a thousand deviations below the best result is -500,000, and no probability of success
// would count beside it. Far down it falls with the logarithm only; the order stays.
//   s for s >= -20,  -20 (1 + log(s / -20)) below
inline ValueSlope bounded_below(double score) {
  constexpr double usual = -20.0;
  if (!(score < usual)) return {score, 1.0};
  return {usual * (1.0 + std::log(score / usual)), usual / score};
}

// A log probability of success that falls so steeply below the bar (a logarithm, too) that no
// improvement a model hopes for beyond a border counts.
inline ValueSlope steep_below(double bar, double log_p) {
  constexpr double steepness = 1e4;  // per nat (research/constraints.md, "Borders")
  if (log_p >= bar) return {log_p, 1.0};
  return {log_p - steepness * (bar - log_p), 1.0 + steepness};
}

}  // namespace vbo

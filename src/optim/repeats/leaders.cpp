// SPDX-License-Identifier: MIT
#include "optim/repeats/leaders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/normal.hpp"
#include "optim/surrogate/gp_method.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::size_t kMostLeaderPoints =
    100;  // that the process is fitted to; cost grows with the cube
constexpr std::size_t kMostLeaders = 24;
constexpr int kNormalLevels = 32;  // of a normal variable, for expectations

double average_of(const LeaderResults& point) {
  return std::accumulate(point.values.begin(), point.values.end(), 0.0) /
         static_cast<double>(point.values.size());
}

// Half of them the best by their means, the rest spread over all others: the best alone differ by
// little but noise.
std::vector<std::size_t> leading_points(const std::vector<LeaderResults>& points) {
  std::vector<double> means;
  for (const LeaderResults& point : points) means.push_back(average_of(point));
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return means[a] > means[b]; });
  const std::size_t best = std::min(order.size(), kMostLeaderPoints / 2);
  std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best));
  const std::size_t others = order.size() - best;
  const std::size_t room = std::min(others, kMostLeaderPoints - best);
  for (std::size_t k = 0; k < room; ++k) chosen.push_back(order[best + k * others / room]);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

std::optional<Leaders> Leaders::of(const Encoding& encoding,
                                   const std::vector<LeaderResults>& points, std::uint64_t seed) {
  const std::vector<std::size_t> used = leading_points(points);
  Index rows = 0;
  for (const std::size_t p : used) rows += std::ssize(points[p].values);
  Matrix X(encoding.dimension(), rows);
  Vector y(rows), known = Vector::Zero(rows);
  Index row = 0;
  for (const std::size_t p : used) {
    for (std::size_t r = 0; r < points[p].values.size(); ++r, ++row) {
      X.col(row) = points[p].code;
      y[row] = points[p].values[r];
      known[row] = points[p].errors[r] * points[p].errors[r];
    }
  }
  if (rows < 4 || !(y.maxCoeff() > y.minCoeff())) return std::nullopt;
  GpOptions options = gp_options(encoding, {});
  options.noise_prior = {};  // noise is there, and what it is like is the question
  GaussianProcess model(options);
  if (known.maxCoeff() > 0.0) model.set_known_variances(known);
  (void)model.fit(X, y, Rng(seed, "leaders", static_cast<std::uint64_t>(rows)));

  std::vector<std::size_t> feasible;
  for (const std::size_t p : used) {
    if (points[p].feasible) feasible.push_back(p);
  }
  if (feasible.empty()) return std::nullopt;
  Matrix codes(encoding.dimension(), std::ssize(feasible));
  for (std::size_t k = 0; k < feasible.size(); ++k) {
    codes.col(static_cast<Index>(k)) = points[feasible[k]].code;
  }
  const auto marginals = model.marginals(codes);
  const Vector& mean = marginals->mean();
  const Vector reach = mean + 2.0 * marginals->variance().cwiseSqrt();
  std::vector<Index> order(feasible.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return reach[a] > reach[b]; });
  Index best = 0;
  mean.maxCoeff(&best);
  order.resize(std::min(order.size(), kMostLeaders));
  if (std::ranges::find(order, best) == order.end()) order.back() = best;

  Leaders leaders;
  double before = mean.minCoeff();
  for (Index k = 0; k < mean.size(); ++k) {
    if (!points[feasible[static_cast<std::size_t>(k)]].recent) before = std::max(before, mean[k]);
  }
  leaders.recent_gain_ = std::max(0.0, mean[best] - before);
  leaders.spread_ = std::sqrt((y.array() - y.mean()).square().mean());
  for (const Index k : order) leaders.points_.push_back(feasible[static_cast<std::size_t>(k)]);
  const auto joint = model.posterior(codes(Eigen::all, order));
  leaders.mean_ = joint->mean();
  leaders.covariance_ = joint->covariance();
  leaders.noise_variance_ = model.noise_variance() + known.mean();
  for (const std::size_t p : std::vector(leaders.points_)) {
    for (std::int64_t k = 0; k < points[p].pending; ++k) leaders.expect(p);
  }
  return leaders;
}

// E max_j (mu_j + s_j Z) - max mu, with s = Sigma e_i / sqrt(Sigma_ii + noise).
Leaders::Choice Leaders::choose() const {
  const double best = mean_.maxCoeff();
  Choice chosen{points_.front(), -1.0};
  for (Index i = 0; i < mean_.size(); ++i) {
    const double variance = covariance_(i, i) + noise_variance_;
    if (!(variance > 0.0)) continue;
    const Vector s = covariance_.col(i) / std::sqrt(variance);
    double sum = 0.0;
    for (int level = 0; level < kNormalLevels; ++level) {
      const double z = normal_quantile((level + 0.5) / kNormalLevels);
      sum += (mean_ + z * s).maxCoeff();
    }
    const double gain = sum / kNormalLevels - best;
    if (gain > chosen.gain) chosen = {points_[static_cast<std::size_t>(i)], gain};
  }
  return chosen;
}

void Leaders::expect(std::size_t point) {
  const auto found = std::ranges::find(points_, point);
  if (found == points_.end()) return;
  const auto i = static_cast<Index>(found - points_.begin());
  const double variance = covariance_(i, i) + noise_variance_;
  if (!(variance > 0.0)) return;
  const Vector s = covariance_.col(i) / std::sqrt(variance);
  covariance_ -= s * s.transpose();
}

}  // namespace vbo

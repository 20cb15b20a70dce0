// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/training_subset.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/normal.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

// The lowest of the chosen outcomes that is neither infeasible nor an outlier: too far below the
// median, measured by how far the best is above it.
double lowest_usual(const Archive& archive, const Vector& outcomes) {
  std::vector<double> values;
  std::ranges::copy_if(outcomes, std::back_inserter(values),
                       [&](double value) { return archive.is_feasible(value); });
  if (values.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle, best = *std::max_element(middle, values.end());
  const double far = median - Tuning::gp_outlier * (best - median);
  double lowest = median;
  for (const double value : values) {
    if (!(value < far)) lowest = std::min(lowest, value);  // not a number: none is far
  }
  return lowest;
}

}  // namespace

TrainingSubset training_subset(const Archive& archive, const Replay& replay,
                               const std::vector<int>& indices) {
  const auto N = static_cast<Eigen::Index>(indices.size());
  TrainingSubset subset{Matrix(archive.code(0).size(), N), Vector(N), Vector(N), {}, 0.0};
  for (Eigen::Index i = 0; i < N; ++i) {
    const int index = indices[static_cast<std::size_t>(i)];
    subset.X.col(i) = archive.code(index);
    subset.z[i] = -normal_quantile(replay.quantile(archive.shared_rank(index)));
    subset.outcomes[i] = archive.value(index);
    if (archive.error(index) == 0.0) continue;
    if (subset.errors.size() == 0) subset.errors = Vector::Zero(N);
    subset.errors[i] = archive.error(index);
  }
  subset.bar = lowest_usual(archive, subset.outcomes);
  return subset;
}

// Failures, and infeasible results once enough are feasible, are left to the models of success and
// of the limits (failures.hpp): a cliff at the border would be taken for the shape of the whole
// function.
std::vector<int> results_of_the_box(const Archive& archive, int most, Rng& rng) {
  const int n = archive.feasible() >= Tuning::gp_fewest_feasible ? archive.feasible()
                : archive.succeeded() > 0                        ? archive.succeeded()
                                                                 : archive.size();
  const int best = n <= most ? n : most / 2;
  std::set<int> ranks;  // of the others
  while (best < n && static_cast<int>(ranks.size()) < most - best) {
    ranks.insert(best + static_cast<int>(rng.below(static_cast<std::uint64_t>(n - best))));
  }
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(best) + ranks.size());
  for (int rank = 0; rank < best; ++rank) chosen.push_back(archive.at_rank(rank));
  for (const int rank : ranks) chosen.push_back(archive.at_rank(rank));
  return chosen;
}

std::vector<int> results_nearby(const Archive& archive, const GpWindow& view, int most) {
  constexpr int half = Tuning::pool / 2;
  std::set<int> looked_at;
  for (int rank = 0; rank < std::min(archive.feasible(), half); ++rank) {
    looked_at.insert(archive.at_rank(rank));
  }
  for (int i = std::max(0, archive.size() - half); i < archive.size(); ++i) {
    if (archive.is_feasible(archive.value(i))) looked_at.insert(i);
  }
  std::vector<int> indices(looked_at.begin(), looked_at.end());
  const Vector distances = view.distance(archive.codes()(Eigen::all, indices));
  std::vector<std::pair<double, int>> nearest;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double distance = distances[static_cast<Eigen::Index>(i)];
    if (distance <= Tuning::near_radius) nearest.emplace_back(distance, indices[i]);
  }
  const auto some = std::min<std::ptrdiff_t>(most, std::ssize(nearest));
  std::partial_sort(nearest.begin(), nearest.begin() + some, nearest.end());
  indices.resize(static_cast<std::size_t>(some));
  std::ranges::transform(nearest.begin(), nearest.begin() + some, indices.begin(),
                         &std::pair<double, int>::second);
  return indices;
}

// Ranks squeeze the best results together, whose distances determine where the optimum is, and
// hide that effects of categories add up. Hence outcomes above a bar y_b keep their values, bent by
// a map W (warp.hpp), on the scale of their scores z:
//   t + s (W(y) - W(y_b)),   s^2 = sum (z - t)^2 / sum (W(y) - W(y_b))^2.
// Outliers below the bar are better off with ranks, and so are infeasible results, whose values
// cannot be compared with the others'. t is the highest score that keeps its rank: many failures or
// ties share one. An outlier above squeezes the other results; then the critics, who see ranks,
// predict better and get the weight.
TargetScale target_scale(const TrainingSubset& subset, int warp) {
  const Vector &z = subset.z, &y = subset.outcomes;
  const double bar = subset.bar;
  double t = z.minCoeff();
  std::vector<double> above{bar};
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (y[i] > bar) above.push_back(y[i]);
    if (y[i] <= bar) t = std::max(t, z[i]);
  }
  TargetScale scale{
      bar, t, Warp::choice(warp, Eigen::Map<const Vector>(above.data(), std::ssize(above))), 0.0};
  double of_scores = 0.0, of_values = 0.0;  // sums of squares
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (y[i] <= bar) continue;
    of_scores += std::pow(std::max(z[i] - t, 0.0), 2.0);
    of_values += std::pow(scale.warp(y[i]) - scale.warp(bar), 2.0);
  }
  const bool usable = of_values > 0.0 && std::isfinite(of_values);
  if (usable) scale.slope = std::sqrt(of_scores / of_values);
  return scale;
}

double TargetScale::target(double outcome, double z) const {
  return keeps_value(outcome) ? floor + slope * (warp(outcome) - warp(bar)) : z;
}

double TargetScale::outcome(double target) const {
  return slope > 0.0 && target > floor ? warp.inverse((target - floor) / slope + warp(bar)) : bar;
}

double TargetScale::log_slope(double outcome) const {
  return warp.log_slope(outcome) + std::log(slope / warp.range);
}

}  // namespace vbo

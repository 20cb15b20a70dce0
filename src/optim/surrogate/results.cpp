// SPDX-License-Identifier: MIT
#include "optim/surrogate/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::size_t border_from = 20;  // successes before the border gets a model of its own
constexpr double outlier_factor = 20.0;
constexpr double largest_value = 1e300;  // beyond, differences and sums of values overflow

}  // namespace

void Results::add(const Trial& trial) {
  pending_.erase(trial.id);
  const Index n = size();
  const std::span<const Limit> limits = encoding_.space().limits();
  if (n == codes_.cols()) {
    codes_.conservativeResize(encoding_.dimension(), 2 * n + 16);
    excesses_.conservativeResize(bounds_of(limits), 2 * n + 16);
  }
  excesses_.col(n) = scaled_excesses(limits, trial.metrics);
  codes_.col(n) = encoding_.encode(trial.point);
  const Standing standing = order_.standing(trial);
  const bool good = infeasible_fail_ ? standing.is_feasible() : !standing.has_failed();
  values_.push_back(good ? std::clamp(trial.values.front(), -largest_value, largest_value)
                         : std::numeric_limits<double>::quiet_NaN());
  standings_.push_back(good ? standing : Standing{});
  successes_by_.push_back(success_of(trial));
  ids_.push_back(trial.id);
  successes_ += good;
}

void Results::told(std::span<const Trial> finished) {
  std::vector<const Trial*> order;
  for (const Trial& trial : finished) order.push_back(&trial);
  std::stable_sort(order.begin(), order.end(),
                   [](const Trial* a, const Trial* b) { return a->id < b->id; });
  for (const Trial* trial : order) add(*trial);
}

void Results::restore(std::span<const Trial> history) {
  std::vector<const Trial*> order;
  for (const Trial& trial : history) {
    const bool finished = trial.state == TrialState::completed || trial.state == TrialState::failed;
    if (finished) {
      order.push_back(&trial);
    } else {
      asked(trial.id, trial.point);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Trial* a, const Trial* b) {
    return std::tie(a->told_in, a->id) < std::tie(b->told_in, b->id);
  });
  for (const Trial* trial : order) add(*trial);
}

Matrix Results::pending() const {
  Matrix X(encoding_.dimension(), static_cast<Index>(pending_.size()));
  Index j = 0;
  for (const auto& [id, x] : pending_) X.col(j++) = x;
  return X;
}

bool Results::contains(ConstVectorRef x) const {
  const auto near = [&](const auto& other) {
    return ((other - x).array().abs() <= kSamePoint).all();
  };
  for (const auto& [id, other] : pending_) {
    if (near(other)) return true;
  }
  for (Index i = 0; i < size(); ++i) {
    if (near(codes_.col(i))) return true;
  }
  return false;
}

std::vector<Index> Results::chosen(Index count, Index most, bool with_failures) const {
  std::vector<Index> all;
  for (Index i = 0; i < count; ++i) {
    if (with_failures || !std::isnan(value(i))) all.push_back(i);
  }
  if (static_cast<Index>(all.size()) <= most) return all;
  const auto better = [&](Index a, Index b) {
    return standing(a) > standing(b) || (standing(a) == standing(b) && a < b);
  };
  std::vector<Index> ranked = all;
  const auto half = static_cast<std::ptrdiff_t>(most / 2);
  std::partial_sort(ranked.begin(), ranked.begin() + half, ranked.end(), better);
  std::vector<bool> taken(static_cast<std::size_t>(count), false);
  for (std::ptrdiff_t k = 0; k < half; ++k) {
    taken[static_cast<std::size_t>(ranked[static_cast<std::size_t>(k)])] = true;
  }
  auto left = most - half;
  for (auto i = all.rbegin(); i != all.rend() && left > 0; ++i) {
    if (taken[static_cast<std::size_t>(*i)]) continue;
    taken[static_cast<std::size_t>(*i)] = true;
    --left;
  }
  std::erase_if(all, [&](Index i) { return !taken[static_cast<std::size_t>(i)]; });
  return all;
}

void Results::teach(Feasibility& feasibility, const GpOptions& model, Index count, Index most,
                    bool with_failures, Rng rng) const {
  const auto failed = [](Success s) { return s == Success::no; };
  const bool failures =
      with_failures && std::any_of(successes_by_.begin(), successes_by_.begin() + count, failed);
  feasibility.forget();
  if (excesses_.rows() == 0 && !failures) return;
  teach(feasibility, model, chosen(count, most, failures), rng);
}

void Results::teach(Feasibility& feasibility, const GpOptions& model,
                    std::span<const Index> indices, Rng rng) const {
  const auto n = static_cast<Index>(indices.size());
  Matrix X(encoding_.dimension(), n), excesses(excesses_.rows(), n);
  std::vector<Success> success;
  for (Index k = 0; k < n; ++k) {
    const Index i = indices[static_cast<std::size_t>(k)];
    X.col(k) = codes_.col(i);
    excesses.col(k) = excesses_.col(i);
    success.push_back(this->success(i));
  }
  feasibility.learn(model, X, success, excesses, rng);
  if (!feasibility.knows_failures()) return;
  Index best = -1;
  Standing most;
  for (Index k = 0; k < n; ++k) {
    const Standing& found = standing(indices[static_cast<std::size_t>(k)]);
    if (success[static_cast<std::size_t>(k)] != Success::yes || !(found > most)) continue;
    best = k;
    most = found;
  }
  if (best >= 0) {
    feasibility.learn_border(encoding_, X, success, best, border_from,
                             Border::Distances::logarithmic);
  }
}

Vector Results::outcomes(std::span<const Index> indices, Index count) const {
  std::vector<double> sorted;
  for (Index i = 0; i < count; ++i) {
    if (!std::isnan(value(i))) sorted.push_back(value(i));
  }
  if (sorted.empty()) return Vector::Zero(static_cast<Index>(indices.size()));
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double p) {
    return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
  };
  const double median = quantile(0.5), best = sorted.back();
  const double spread = std::max(best - median, quantile(0.75) - quantile(0.25));
  const double floor =
      spread > 0.0 ? std::max(sorted.front(), median - outlier_factor * spread) : sorted.front();
  Vector y(static_cast<Index>(indices.size()));
  for (Index k = 0; k < y.size(); ++k) {
    const double raw = value(indices[static_cast<std::size_t>(k)]);
    y[k] = std::isnan(raw) ? floor : std::max(raw, floor);
  }
  return y;
}

}  // namespace vbo

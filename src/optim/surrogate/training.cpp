// SPDX-License-Identifier: MIT
#include "optim/surrogate/training.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::size_t kBorderFrom = 20;  // successes before the border gets a model of its own
constexpr double kOutlierFactor = 20.0;

}  // namespace

std::vector<Index> training_set(const History& history, Index count, Index most,
                                bool with_failures) {
  std::vector<Index> all;
  for (Index i = 0; i < count; ++i) {
    if (with_failures || !std::isnan(history.value(i))) all.push_back(i);
  }
  if (std::ssize(all) <= most) return all;
  const auto better = [&](Index a, Index b) {
    const std::partial_ordering compared = history.standing(a) <=> history.standing(b);
    return compared > 0 || (compared == 0 && a < b);
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

Vector training_values(const History& history, std::span<const Index> indices, Index count) {
  std::vector<double> sorted;
  for (Index i = 0; i < count; ++i) {
    if (!std::isnan(history.value(i))) sorted.push_back(history.value(i));
  }
  if (sorted.empty()) return Vector::Zero(std::ssize(indices));
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double p) {
    return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
  };
  const double median = quantile(0.5), best = sorted.back();
  const double spread = std::max(best - median, quantile(0.75) - quantile(0.25));
  const double floor =
      spread > 0.0 ? std::max(sorted.front(), median - kOutlierFactor * spread) : sorted.front();
  Vector y(std::ssize(indices));
  for (Index k = 0; k < y.size(); ++k) {
    const double raw = history.value(indices[static_cast<std::size_t>(k)]);
    y[k] = std::isnan(raw) ? floor : std::max(raw, floor);
  }
  return y;
}

Vector training_errors(const History& history, std::span<const Index> indices) {
  Vector errors;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const std::span<const double> error = history.standard_error(indices[k]);
    if (error.empty()) continue;
    if (errors.size() == 0) errors = Vector::Zero(std::ssize(indices));
    errors[static_cast<Index>(k)] = error.front();
  }
  return errors;
}

void fit_feasibility(Feasibility& feasibility, const Encoding& encoding, const History& history,
                     const GpOptions& model, Index count, Index most, bool with_failures, Rng rng) {
  const std::span<const Success> successes = history.successes_of(count);
  const bool failures =
      with_failures && std::ranges::find(successes, Success::no) != successes.end();
  feasibility.forget();
  if (history.bounds() == 0 && !failures) return;
  fit_feasibility(feasibility, encoding, history, model,
                  training_set(history, count, most, failures), Feasibility::Limits::shared, rng);
}

void fit_feasibility(Feasibility& feasibility, const Encoding& encoding, const History& history,
                     const GpOptions& model, std::span<const Index> indices,
                     Feasibility::Limits limits, Rng rng) {
  const Index n = std::ssize(indices);
  Matrix X(encoding.dimension(), n), excesses(history.bounds(), n);
  std::vector<Success> success;
  for (Index k = 0; k < n; ++k) {
    const Index i = indices[static_cast<std::size_t>(k)];
    X.col(k) = history.code(i);
    excesses.col(k) = history.excesses(i);
    success.push_back(history.success(i));
  }
  feasibility.learn(model, X, success, excesses, limits, rng);
  if (!feasibility.knows_failures()) return;
  Index best = -1;
  Standing most;
  for (Index k = 0; k < n; ++k) {
    const Standing& found = history.standing(indices[static_cast<std::size_t>(k)]);
    if (success[static_cast<std::size_t>(k)] != Success::yes || !(found > most)) continue;
    best = k;
    most = found;
  }
  if (best >= 0) {
    feasibility.learn_border(encoding, X, success, best, kBorderFrom,
                             Border::Distances::logarithmic);
  }
}

}  // namespace vbo

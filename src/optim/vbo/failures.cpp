// SPDX-License-Identifier: MIT
#include "optim/vbo/failures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/success_bar.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/batch/proposals.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

using Eigen::Index;

Failures::Failures(const Encoding& encoding, std::uint64_t seed, int threads)
    : encoding_(encoding), options_(gp_options(encoding, {})), seed_(seed) {
  options_.threads = threads;
}

// Evenly over the order of results: early ones lie everywhere, late ones where it matters.
std::vector<int> Failures::spread_sample(int results) const {
  const int most = std::min(results, Tuning::failure_points);
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(most));
  for (int k = 0; k < most; ++k) {
    chosen.push_back(static_cast<int>(static_cast<std::int64_t>(k) * results / most));
  }
  return chosen;
}

void Failures::add(const Trial& trial) {
  objective_.push_back(trial.value().value_or(std::numeric_limits<double>::quiet_NaN()));
  success_.push_back(success_of(trial));
  excesses_.push_back(relative_excesses(encoding_.space().limits(), trial.metrics));
}

void Failures::learn(const Archive& history, int results) {
  model_.forget();
  const std::vector<Success> success(success_.begin(), success_.begin() + results);
  boldness_ = boldness_after(success);
  if (results == 0) return;
  int best = 0;
  for (int i = 1; i < results; ++i) {
    if (history.value(i) > history.value(best)) best = i;
  }
  // Before anything is feasible the order of violations leads there, and a model that finds
  // everything unlikely would only hold the search back (G06: feasible in 2 seeds of 5).
  const bool limited =
      !encoding_.space().limits().empty() && history.is_feasible(history.value(best));
  if (!limited && std::ranges::find(success, Success::no) == success.end()) return;
  if (std::ranges::find(success, Success::yes) == success.end()) return;
  const std::vector<int> chosen = spread_sample(results);
  const Matrix X = history.codes()(Eigen::all, chosen);
  std::vector<Success> of_chosen;
  of_chosen.reserve(chosen.size());
  for (const int i : chosen) of_chosen.push_back(success[static_cast<std::size_t>(i)]);
  Matrix excesses(limited ? bounds_of(encoding_.space().limits()) : 0, X.cols());
  for (std::size_t k = 0; k < chosen.size() && limited; ++k) {
    excesses.col(static_cast<Index>(k)) = excesses_[static_cast<std::size_t>(chosen[k])];
  }
  model_.learn(options_, X, of_chosen, excesses, Feasibility::Limits::shared,
               Rng(seed_, "failures"));
  if (!model_.knows_failures()) return;
  model_.learn_border(encoding_, history.codes().leftCols(results), success, best,
                      Tuning::border_from, Border::Distances::linear);
}

LimitResults Failures::limited(const Archive& history) const {
  std::vector<int> rows;
  for (int i = 0; i < history.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (std::isfinite(objective_[at]) && excesses_[at].allFinite()) rows.push_back(i);
  }
  LimitResults found;
  found.codes = history.codes()(Eigen::all, rows);
  found.objective = Vector(std::ssize(rows));
  found.excesses = Matrix(std::ssize(rows), bounds_of(encoding_.space().limits()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto at = static_cast<std::size_t>(rows[k]);
    const auto row = static_cast<Index>(k);
    found.objective[row] = objective_[at];
    found.excesses.row(row) = excesses_[at].transpose();
  }
  return found;
}

Vector Failures::success_probability(const std::vector<Vector>& codes) const {
  return model_.log_probability(columns(codes)).array().exp();
}

}  // namespace vbo

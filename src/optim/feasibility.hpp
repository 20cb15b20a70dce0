// SPDX-License-Identifier: MIT
// A model of feasibility: a surrogate for every bound of the space's limits, of how far its metric
// lies inside or outside, and a Gaussian process for success and failure once something has failed,
// with a closer look at the border around the best result. A bound is kept where its surrogate is
// below zero; an evaluation succeeds where its process is above a half, so
// failures that come at random everywhere, which the process takes for noise, keep nobody away from
// anywhere. A pure function of the results it learned from: nothing to keep in a snapshot. Const
// calls are thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "models/gp/gp.hpp"
#include "models/trend/trend_processes.hpp"
#include "optim/border.hpp"
#include "optim/success.hpp"
#include "vbo/random.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// One row per bound, how far metrics lie outside of it (negative: inside) in units of its scale;
// not a number where a metric is unknown.
Vector relative_excesses(std::span<const Limit> limits,
                         const std::map<std::string, double>& metrics);
Eigen::Index bounds_of(std::span<const Limit> limits);  // rows

class Feasibility {
 public:
  // Of the metrics with limits: surrogates that share a factorization, or Gaussian processes from
  // which violations() can draw, over sign(e) ln(1 + |e|): outliers do not flatten it.
  enum class Limits { shared, sampled };

  // X (D,N); success (N); relative excesses (bounds,N), not a number where a metric is unknown.
  // `model` describes the space: groups of inputs, kernel, priors.
  void learn(const GpOptions& model, ConstMatrixRef X, const std::vector<Success>& success,
             ConstMatrixRef excesses, Limits limits, Rng rng);
  // The border around the best result, column `best` of X, more sharply (border.hpp). After
  // learn().
  void learn_border(const Encoding& encoding, ConstMatrixRef X, const std::vector<Success>& success,
                    Eigen::Index best, std::size_t fewest, Border::Distances distances);
  void forget();

  bool knows_anything() const { return success_ || !bounds_.empty() || trends_; }
  bool knows_failures() const { return success_ != nullptr; }

  // log P(feasible) at X (D,m) -> (m); where `slope` is not null it becomes its derivative (D,m).
  Vector log_probability(ConstMatrixRef X, Matrix* slope = nullptr) const;
  // Of this the part that evaluations succeed, and the part that all bounds hold.
  Vector log_success(ConstMatrixRef X, Matrix* slope = nullptr) const;
  Vector log_within(ConstMatrixRef X, Matrix* slope = nullptr) const;
  // S joint draws of how much X (D,m) violate all bounds together (m,S); 0 = feasible. REQUIRES:
  // Limits::sampled.
  Matrix violations(ConstMatrixRef X, Eigen::Index S, Rng rng) const;

 private:
  std::unique_ptr<GaussianProcess> success_;
  Border border_;
  std::vector<std::unique_ptr<GaussianProcess>> bounds_;
  std::unique_ptr<TrendProcesses> trends_;  // of all bounds, in place of bounds_
  void learn_shared(ConstMatrixRef X, ConstMatrixRef excesses);
};

}  // namespace vbo

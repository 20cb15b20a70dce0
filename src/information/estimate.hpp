// SPDX-License-Identifier: MIT
// Mutual information between two groups of columns, estimated from samples: a critic
//   T(x,y) = log density ratio of a fitted Gaussian + a small network of [x;y]
// is trained on all folds but one and judged on the fold it has not seen, which keeps the
// lower-bound estimators honest. Deterministic in the seed, whatever the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "information/estimators.hpp"
#include "numerics/linalg.hpp"
#include "vbo/error.hpp"

namespace vbo {

struct EstimateOptions {
  Estimator estimator = Estimator::self_normalized;
  EstimatorOptions estimator_options{};
  int folds = 5;  // >= 2: more folds train on more data and take longer
  std::uint64_t seed = 1;
  bool gaussian_baseline = true;  // false: the critic is the networks alone
  int hidden = 64;                // units in each of two hidden layers
  int batch = 128;                // true pairs per step
  int references = 16;            // drawn for each true pair
  int max_steps = 2000;           // per fold; training stops earlier when validation stops rising
  double learning_rate = 5e-3;    // at the start; falls to zero at max_steps
  int threads = 0;                // 0 = all cores

  Result<void> validate() const;
};

struct InformationEstimate {
  double nats = 0.0;  // mean over folds, not below 0: information never is
  double low = 0.0;   // 95% interval of the mean over folds (Student's t), not below 0. It covers
  double high = 0.0;  // sampling variation, not what the critic failed to learn
  double ceiling = 0.0;  // what the estimator could at most have said here; +inf if nothing
  double raw = 0.0;      // the mean over folds as it came out
  std::vector<double> fold_nats;
  int samples = 0;
  double gaussian_nats = 0.0;  // what a Gaussian fitted to the same columns has
  double mean_steps = 0.0;     // training steps until the best critic, averaged over folds
};

// The fewest samples that estimate_information() accepts.
int fewest_samples(int folds);

// X (Dx,N), Y (Dy,N): columns are paired samples; rows should be of order 1 (see columns.hpp).
// Errors: sizes differ, too few samples, values that are not finite, invalid options.
Result<InformationEstimate> estimate_information(ConstMatrixRef X, ConstMatrixRef Y,
                                                 const EstimateOptions& options = {});

}  // namespace vbo

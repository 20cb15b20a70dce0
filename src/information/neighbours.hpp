// SPDX-License-Identifier: MIT
// Mutual information from distances to nearest neighbours: nothing is trained, so a few dozen
// samples and a few milliseconds are enough, which is what a report of a study needs. For more
// samples in more dimensions the critic of estimate.hpp is the better gauge.
//
// Kraskov, Stoegbauer, Grassberger 2004, estimator 1, with ties and categories treated as in
// Gao et al. 2017 and Ross 2014. Deterministic; no state; safe to call from several threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vbo {

// One column of X. Numbers are compared by their difference and should be of order 1 (normal
// scores do); categories are codes 0, 1, 2, ... of which two are equal or infinitely far apart.
struct NeighbourColumn {
  std::vector<double> values;
  bool categorical = false;
};

struct NeighbourEstimate {
  double nats = 0.0;          // may come out a little below 0
  std::vector<double> local;  // (N): the terms of which nats is the mean
};

// REQUIRES: x not empty, all columns and y of one length N >= 2, all finite, 1 <= k < N.
NeighbourEstimate neighbour_information(std::span<const NeighbourColumn* const> x,
                                        std::span<const double> y, int k);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Did the chains find the same distribution, and how many independent draws are they worth?
// Traces are (S, C): S successive values of one quantity in C chains. No state: thread-safe.
#pragma once

#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

// Split R-hat of [GelmanRubin1992] as in Eqs. (1)-(4) of [Vehtari2021], "Rank-normalization,
// folding, and localization: an improved R-hat", without the rank normalization: every chain is cut
// in halves; 1 when all halves agree, above 1.01 they do not yet. 1 for constant traces or S < 4.
double split_r_hat(ConstMatrixRef traces);

// Effective sample size, Eqs. (10)-(13) ibid.: S C / (1 + 2 sum of autocorrelations), summed over
// Geyer's initial monotone sequence of pairs. Between 1 and S C log10(S C). S C for S < 4; 1 for
// constant traces, the mark of a chain that never moved.
double effective_sample_size(ConstMatrixRef traces);

// What is watched of a sampled network: log-density and predictions at a few data points. Weights
// themselves are no use, since hidden units can be permuted freely.
// Up to `count` of the columns of X (D,N), spread over the ranks of y (N).
Matrix probe_points(ConstMatrixRef X, ConstVectorRef y, Eigen::Index count = 8);

// The worst over all watched quantities. traces[c] (S, quantities) belongs to chain c.
struct TraceSummary {
  double effective_samples = 0.0;
  double r_hat = 1.0;  // at most 1e6: chains that stand still at different places
};
TraceSummary summarize(const std::vector<Matrix>& traces);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What a discrete predictive distribution says: w_j(x) = softmax_j D(x, y_j) over M outcome levels.
// The levels stand for a sample of the outcome marginal; at the optimal critic w is then the
// distribution of y given x, without any parametric family. Thread-safe: no state.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

// logits (M,N) -> w (M,N), one distribution per column.
Matrix predictive_weights(ConstMatrixRef logits);

// One distribution: weights (M) >= 0 with sum 1 over levels (M).
double predictive_mean(ConstVectorRef weights, ConstVectorRef levels);
double predictive_variance(ConstVectorRef weights, ConstVectorRef levels);
double predictive_entropy(ConstVectorRef weights);  // nats, in [0, ln M]

// The outcome below which probability `p` lies: each level's mass is centred on it, and values
// between levels are interpolated. REQUIRES: levels ascending, 0 <= p <= 1.
double predictive_quantile(ConstVectorRef weights, ConstVectorRef levels, double p);

// P(y > best), and E[max(0, y - best)].
double probability_of_improvement(ConstVectorRef weights, ConstVectorRef levels, double best);
double expected_improvement(ConstVectorRef weights, ConstVectorRef levels, double best);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The standard normal distribution's quantile, kept in core because Rng::normal() is built on it.
#pragma once

namespace vbo {

// Phi^{-1}(p), relative accuracy about 1e-16 (Wichura 1988, algorithm AS 241, PPND16).
// p = 0 and p = 1 give -inf and +inf; outside [0,1] gives NaN.
double normal_quantile(double p);

}  // namespace vbo

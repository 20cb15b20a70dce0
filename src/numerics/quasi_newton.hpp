// SPDX-License-Identifier: MIT
// Minimizes an expensive smooth function of few variables inside a box, in as few evaluations as
// possible: the function offers an estimate of its own curvature beside its gradient (for a
// likelihood, the information matrix), and the differences of the last gradients correct it. Stops
// when the predicted decrease of the next step is below a given gain. A search that does not
// converge is a normal return. Never prints. Thread-safe: no state.
#pragma once

#include <functional>

#include "numerics/minimize.hpp"

namespace vbo {

struct Slope {
  Vector gradient;   // (n) df/dx
  Matrix curvature;  // (n,n) positive semi-definite estimate of the Hessian
};

// Returns f(x), x (n), and fills in `slope` when f(x) <= ceiling; above it the point is rejected
// and nobody reads the slope. A value that is not finite is a rejection as well.
using CurvedFunction = std::function<double(ConstVectorRef x, double ceiling, Slope& slope)>;

struct QuasiNewtonOptions {
  int max_iterations = 100;      // accepted steps
  int max_evaluations = 200;     // calls of f
  double gain_tolerance = 1e-3;  // stop when the predicted decrease of f is less than this
  double longest_step = 1.0;     // no coordinate moves further in one step
  int memory = 4;                // gradient differences that correct the curvature
};

// From x0, clamped into lower <= x <= upper (n each). The last step, whose predicted decrease is
// below the tolerance, is tried too, with ceiling -inf.
MinimizeResult minimize_quasi_newton(const CurvedFunction& f, ConstVectorRef x0,
                                     ConstVectorRef lower, ConstVectorRef upper,
                                     const QuasiNewtonOptions& options = {});

}  // namespace vbo

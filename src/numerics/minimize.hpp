// SPDX-License-Identifier: MIT
// Local minimization of a smooth function inside a box: L-BFGS by NLopt, made safe for the
// functions met here (values that are not finite, flat regions, a throwing objective). A search
// that does not converge is a normal return. Never throws, never prints. Thread-safe: no state.
#pragma once

#include <functional>
#include <string>

#include "numerics/linalg.hpp"

namespace vbo {

// Returns f(x), x (n), and overwrites gradient (n) with df/dx.
using GradientFunction = std::function<double(ConstVectorRef x, VectorRef gradient)>;

struct MinimizeOptions {
  int max_iterations = 200;          // accepted steps
  int max_evaluations = 1000;        // calls of f
  double gradient_tolerance = 1e-5;  // stop when max_i |projected gradient_i| <= this
  double value_tolerance = 2.2e-9;   // stop when a step lowers f by less than this, relative
  double step_tolerance = 0.0;       // stop when a step moves x by less than this, relative
  int memory = 10;                   // pairs of vectors L-BFGS remembers
};

enum class MinimizeStatus {
  gradient_converged,  // at a stationary point of the box
  value_converged,     // the value no longer falls
  step_converged,      // the point no longer moves
  iteration_limit,
  evaluation_limit,
  stalled,         // no further descent found along any direction tried; x is the best point seen
  bad_start,       // f(x0) or its gradient is not finite
  bad_arguments,   // sizes differ, or a lower bound exceeds its upper bound; f was not called
  objective_threw  // text carries what it said
};

struct MinimizeResult {
  Vector x;      // (n) the best point evaluated, inside the box
  double value;  // f(x); NaN when f was never finite
  MinimizeStatus status;
  std::string text;    // one sentence for a log
  int iterations = 0;  // accepted steps: evaluations that lowered the best value
  int evaluations = 0;

  bool converged() const {
    return status == MinimizeStatus::gradient_converged ||
           status == MinimizeStatus::value_converged || status == MinimizeStatus::step_converged;
  }
  // False only when there is no usable point.
  bool usable() const {
    return status != MinimizeStatus::bad_start && status != MinimizeStatus::bad_arguments &&
           value == value;
  }
};

// Minimizes f over lower <= x <= upper (n each; +-inf allowed) from x0, which is clamped into the
// box. A point where f is not finite is treated as very bad: the search steps back from it.
MinimizeResult minimize_bounded(const GradientFunction& f, ConstVectorRef x0, ConstVectorRef lower,
                                ConstVectorRef upper, const MinimizeOptions& options = {});

}  // namespace vbo

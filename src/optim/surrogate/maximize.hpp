// SPDX-License-Identifier: MIT
// Global search for the maximum of an acquisition function over encoded points: score many raw
// points, ascend from the best-scored by L-BFGS inside the unit cube, then make the result a real
// point of the space. Known constraints hold on the way, too: an ascent slides along them.
// Categories stay as the start has them while climbing; integers are relaxed, then snapped; at the
// end neighbours (next integers, other choices) are tried one change at a time.
#pragma once

#include <functional>
#include <vector>

#include "numerics/minimize.hpp"
#include "numerics/parallel.hpp"
#include "optim/encoding.hpp"
#include "vbo/random.hpp"

namespace vbo {

struct MaximizeOptions {
  int restarts = 4;     // ascends
  int iterations = 40;  // of L-BFGS, per ascend
  int threads = 1;      // ascends run in parallel; the result does not depend on it
  // An ascent ends when a step gains less than this part of the value.
  double value_tolerance = 1e-8;
  Vector low, high;  // (D) box to stay in; empty = the unit cube
};

struct Candidate {
  Matrix X;  // (D,q), codes of points of the space
  double value = 0.0;
};

// One batch of q points at a time: x is X (D,q) column after column.
struct BatchObjective {
  GradientFunction value_and_gradient;            // to be maximized; called from several threads
  std::function<Vector(ConstMatrixRef X)> score;  // (Dq,m) -> (m); from several threads too
};

// f (Dq) for points that may violate known constraints: worth what the nearest points inside are,
// less a little. `encoding` must outlive it.
GradientFunction held_inside(const Encoding& encoding, GradientFunction f);

// `raw` (Dq,m), m >= 1: snapped starting points. Returns the ascends, best first, at least one.
std::vector<Candidate> maximize(const Encoding& encoding, const BatchObjective& objective,
                                const Matrix& raw, const MaximizeOptions& options, Rng& rng);
// The same with their scores (m) at hand.
std::vector<Candidate> maximize(const Encoding& encoding, const BatchObjective& objective,
                                const Matrix& raw, const Vector& scores,
                                const MaximizeOptions& options, Rng& rng);

}  // namespace vbo

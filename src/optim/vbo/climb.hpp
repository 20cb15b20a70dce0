// SPDX-License-Identifier: MIT
// Points that climb a judge's opinion, two on a thread: steps along the sign of the gradient in the
// numeric coordinates, each coordinate with a length of its own that grows while its slope keeps
// its sign (resilient propagation, Riedmiller and Braun 1993), in turn with the one change of
// category that the gradient promises most from. A step that does not raise a point's score is
// taken back. Scores are compared as they were given: the part of information that depends on the
// other points judged at the time makes a few steps look better or worse than they are.
#pragma once

#include "optim/encoding.hpp"
#include "optim/vbo/judge.hpp"

namespace vbo {

struct ClimbOptions {
  double weight = 0.0;  // of exploration in the judge's score
  int steps = 16;       // per point
  double length = 0.0;  // of the first step, in widths of the box
  int threads = 1;
};

// From codes `from` (D,N): first the N points they have become, then every point that was left
// behind on the way up, which are worse but differ more. Numeric coordinates stay in the unit cube;
// integers are not snapped.
MatrixOf<float> climb(const Judge& judge, const Encoding& encoding, const MatrixOf<float>& from,
                      const ClimbOptions& options);

}  // namespace vbo

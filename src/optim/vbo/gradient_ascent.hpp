// SPDX-License-Identifier: MIT
// Gradient ascent of a surrogate's score, two points per thread: steps along the sign of the
// gradient in the numeric coordinates, each coordinate with a length of its own that grows while
// its slope keeps its sign (resilient propagation, Riedmiller and Braun 1993), in turn with the one
// change of category with the largest predicted gain. A step that does not raise a point's score is
// undone. Scores are not re-evaluated: the part of information that depends on the other points
// scored at the time makes a few steps look better or worse than they are.
#pragma once

#include "optim/encoding.hpp"
#include "optim/vbo/search_surrogate.hpp"

namespace vbo {

struct AscentOptions {
  double weight = 0.0;  // of exploration in the surrogate's score
  int steps = 16;       // per point
  double length = 0.0;  // of the first step, in widths of the box
  int threads = 1;
};

// From codes `from` (D,N): first the N points they have become, then every point that was left
// behind on the way up, which are worse but differ more. Numeric coordinates stay in the unit cube;
// integers are not snapped.
MatrixOf<float> ascend(const SearchSurrogate& surrogate, const Encoding& encoding,
                       const MatrixOf<float>& from, const AscentOptions& options);

}  // namespace vbo

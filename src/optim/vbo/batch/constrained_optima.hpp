// SPDX-License-Identifier: MIT
// Suggestions in spaces with measured limits: the predicted best point within all limits, by
// surrogates of the objective and of every limit around the best result. Before anything is
// feasible it is the point with the least predicted violation, at equal violation the better one.
#pragma once

#include <vector>

#include "optim/encoding.hpp"
#include "optim/vbo/failures.hpp"
#include "vbo/random.hpp"

namespace vbo {

// At most `count` different codes. Each comes from a neighbourhood of another size (small ones are
// exact, large ones see far) and keeps another distance from the predicted border, measured in
// posterior deviations: 0 is bold. `turn` chooses among the combinations where there are more.
std::vector<Vector> constrained_optima(const Encoding& encoding, const LimitResults& results,
                                       int count, std::uint64_t turn, Rng& rng);

}  // namespace vbo

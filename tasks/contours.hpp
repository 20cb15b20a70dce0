// SPDX-License-Identifier: MIT
// Lines of equal value of a function sampled on a grid (marching squares).
#pragma once

#include <span>
#include <vector>

#include "tasks/svg.hpp"

namespace vbo::tasks {

// values (rows, columns), row-major. Each line is a chain of points in grid units: x = column,
// y = row; closed lines end where they begin.
std::vector<std::vector<Pixel>> contour_lines(std::span<const double> values, int columns, int rows,
                                              double level);

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// Random peaks: a landscape of many basins of different depth and width, without any structure that
// would lead from one to the next. Maximized, on the unit cube:
//   f(x) = max_k h_k exp( -|x - c_k|^2 / (2 d s_k^2) )
// with h_1 = 1 and all other heights at most 0.95, so that the optimum is c_1. A third of the peaks
// are half as wide as the others, the highest among them.
#pragma once

#include "tasks/basic_task.hpp"

namespace vbo::tasks {

std::unique_ptr<BasicTask> make_peaks(TaskOptions& options);

}  // namespace vbo::tasks

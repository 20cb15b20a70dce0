// SPDX-License-Identifier: MIT
// A classic function as a task: y = f(R (x - x*) + z*), minimized, with z* the function's own
// minimizer, x* the optimum's place in the box and R a rotation about it. Options:
//   dim         number of parameters
//   shift       seed; moves x* to a random place well inside the box (default: x* = z*)
//   rotate      seed; R is a random rotation (default: identity)
//   bend        1: every coordinate of R (x - x*) is bent, smoothly and irregularly, 0 at 0
//   discretize  levels; parameters become integers 0..levels-1 on an even grid over the box, and x*
//               moves to the nearest grid point, so the optimum stays known exactly
#pragma once

#include "tasks/basic_task.hpp"
#include "tasks/functions.hpp"

namespace vbo::tasks {

std::unique_ptr<BasicTask> make_function_task(const Classic& classic, TaskOptions& options);

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// The point a `vbo tasks` command works on, from its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasks/task.hpp"

namespace vbo::cli {

struct TaskPointArguments {
  std::vector<std::string> set;  // "D0=0.5"; x1, x2, ... work for every task
  std::string point;             // "0.5,1,0.4": all parameters in order; "" when not given
  std::string at;          // optimum | middle | random, for what is not set; "" when not given
  std::uint64_t seed = 0;  // of at = random
};

// The error names the parameter, what was found and what would be right.
Result<Point> task_point(const tasks::Task& task, const TaskPointArguments& arguments);

}  // namespace vbo::cli

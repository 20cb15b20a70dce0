// SPDX-License-Identifier: MIT
// The three synthetic tasks of the VBO-MI paper, maximized: y = -f, with f as in BoTorch.
#pragma once

#include <array>
#include <span>

#include "tasks/basic_task.hpp"

namespace vbo::tasks {

double branin(double x1, double x2);
double hartmann6(std::span<const double> x);  // (6)

std::unique_ptr<BasicTask> make_branin(TaskOptions&);
std::unique_ptr<BasicTask> make_hartmann6(TaskOptions&);
std::unique_ptr<BasicTask> make_ackley10(TaskOptions&);

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// Four design problems of mechanical engineering that papers on constrained optimization have in
// common. Every constraint is a metric with a bound, a limit of the task's space.
#pragma once

#include <memory>

#include "tasks/basic_task.hpp"

namespace vbo::tasks {

std::unique_ptr<BasicTask> make_welded_beam(TaskOptions& options);
std::unique_ptr<BasicTask> make_pressure_vessel(TaskOptions& options);
std::unique_ptr<BasicTask> make_speed_reducer(TaskOptions& options);
std::unique_ptr<BasicTask> make_tension_spring(TaskOptions& options);

}  // namespace vbo::tasks

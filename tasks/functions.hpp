// SPDX-License-Identifier: MIT
// Classic test functions in any dimension, minimized, each with the place and value of its minimum.
// Pure functions of z; tasks/function_task.hpp places, rotates and discretizes them.
#pragma once

#include <span>
#include <string_view>

namespace vbo::tasks {

struct Classic {
  std::string_view name, summary, source;
  double low, high;  // the textbook box, the same for every coordinate
  int preset_dim, smallest_dim;
  double (*f)(std::span<const double> z);
  void (*minimizer)(std::span<double> z);  // fills in z*
  double (*minimum)(int dim);              // f(z*)
  // 0: z* is the minimum over all of R^d. Otherwise only over the box; the function is then
  // continued outside as f(clamp(z)) + penalty |z - clamp(z)|^2, which keeps z* the minimum.
  double penalty = 0.0;
};

std::span<const Classic> classic_functions();

double ackley(std::span<const double> z);

}  // namespace vbo::tasks

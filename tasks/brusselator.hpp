// SPDX-License-Identifier: MIT
// Brusselator: two chemicals that react and spread on a 64 x 64 grid of unit cells with closed
// walls,
//   du/dt = D0 Lap(u) + a - (b+1) u + u^2 v,     dv/dt = D1 Lap(v) + b u - u^2 v,
// integrated by 20,000 forward Euler steps of 0.001 from u = a, v = b/a + 0.1 z, z ~ N(0,1) per
// cell. y = -variance of the weighted final state. From Maddox et al. 2021 as used by Li et al.
// 2024.
#pragma once

#include <array>
#include <vector>

#include "tasks/basic_task.hpp"

namespace vbo::tasks::brusselator {

inline constexpr int side = 64;
inline constexpr int cells = side * side;
inline constexpr int steps = 20000;
inline constexpr double dt = 1e-3;

struct Coefficients {
  double a, b, D0, D1;
};

struct State {
  std::vector<double> u, v;  // (cells), row i at i * side
  bool finite = true;        // false: the explicit scheme blew up and integration stopped early
};

// z (cells): the initial disturbance of v.
State initial_state(const Coefficients& c, const std::vector<double>& z);
// `count` Euler steps, vectorized and blocked in time.
void integrate(const Coefficients& c, State& state, int count = steps);
// The same, one plain loop after the other; what integrate() is tested against.
void integrate_plain(const Coefficients& c, State& state, int count = steps);

// -(sample variance of w u and w v), w = 1 on the two outermost rows and columns, 0.1 inside.
double objective(const State& state);

std::unique_ptr<BasicTask> make_brusselator(TaskOptions& options);

}  // namespace vbo::tasks::brusselator

// SPDX-License-Identifier: MIT
// Pest control: 25 stages, at each of which one of four pesticides is used (1..4) or none (0).
// Cost = prices (a discount grows with the use of a product, and so does the pests' tolerance of
// it)
// + at each stage the fraction of 100 simulated fields infested above 10 percent. y = -cost.
// From COMBO (Oh et al. 2019) as used by Li et al. 2024, who draw every random vector from a
// freshly seeded generator (seed 1), so that the task is deterministic. Option fresh=1: COMBO's
// original, new random numbers in every evaluation.
#pragma once

#include <array>
#include <span>

#include "tasks/basic_task.hpp"

namespace vbo::tasks::pest {

inline constexpr int stages = 25;
inline constexpr int simulations = 100;
inline constexpr double threshold = 0.1;

using Plan = std::array<int, stages>;  // 0..4 each
using Draws = std::array<double, simulations>;

// What happened at each stage, seen before its action.
struct Trace {
  std::array<int, stages> above{};       // simulations above the threshold
  std::array<double, stages> mean{};     // mean infestation
  std::array<double, stages> price{};    // paid at this stage
  std::array<Draws, stages> infested{};  // each simulation's infestation
};

// All random vectors the seeded task can ever need.
struct SeededDraws {
  Draws initial, spread;
  std::array<std::array<Draws, stages>, 4> control;  // [type - 1][earlier uses]
};
const SeededDraws& seeded_draws();

double seeded_cost(const Plan& plan, Trace* trace = nullptr);
double fresh_cost(const Plan& plan, Rng& rng, Trace* trace = nullptr);

Plan to_plan(const Point& point);

std::unique_ptr<BasicTask> make_pest_control(TaskOptions& options);

}  // namespace vbo::tasks::pest

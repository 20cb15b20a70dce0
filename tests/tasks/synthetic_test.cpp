// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numbers>

#include "tasks/basic_task.hpp"

namespace vbo::tasks {
namespace {

double value_at(const char* task, const std::vector<double>& x) {
  Rng rng(1);
  return make_task(task).value()->evaluate(to_point(x), rng);
}

struct Known {
  const char* task;
  std::vector<double> x;
  double y;
};

std::vector<double> all(double value, std::size_t n) { return std::vector<double>(n, value); }

// Values of the BoTorch definitions, negated.
TEST(Synthetic, KnownValues) {
  const Known known[] = {
      {"branin", {0, 0}, -55.602112642270},
      {"branin", {std::numbers::pi, 2.275}, -0.397887357730},
      {"branin", {9.42478, 2.475}, -0.397887357753},
      {"branin", {2.5, 7.5}, -24.129964413622},
      {"branin", {-5, 0}, -308.129096011607},
      {"branin", {10, 15}, -145.872190879396},
      {"branin", {10, 0}, -10.960889035652},
      {"branin", {-5, 15}, -17.508299515778},
      {"branin", {1.3, 4.2}, -12.571123607576},
      {"hartmann6", all(0.0, 6), 0.005089112884},
      {"hartmann6", all(1.0, 6), 0.000034085393},
      {"hartmann6", all(0.5, 6), 0.505314991702},
      {"hartmann6", {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}, 3.322368011391},
      {"hartmann6", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 1.406910576139},
      {"hartmann6", {0.9, 0.1, 0.8, 0.2, 0.7, 0.3}, 0.013053081901},
      {"ackley10", all(1.0, 10), -3.625384938440},
      {"ackley10", all(0.5, 10), -4.253654026568},
      {"ackley10", all(32.768, 10), -21.570311151282},
      {"ackley10", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, -4.052394028912},
      {"ackley10", {-20, -15, -10, -5, 0, 5, 10, 15, 20, 25}, -18.916435221951},
      {"ackley10", all(0.001, 10), -0.004053256053},
  };
  for (const Known& k : known) {
    EXPECT_NEAR(value_at(k.task, k.x), k.y, 1e-9) << k.task << " at " << k.x[0] << ", " << k.x[1];
  }
  EXPECT_NEAR(value_at("ackley10", all(0.0, 10)), 0.0, 1e-12);
}

}  // namespace
}  // namespace vbo::tasks

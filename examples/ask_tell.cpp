// SPDX-License-Identifier: MIT
// Minimizes a small function by hand: ask for points, evaluate them, tell the values.
#include <cmath>
#include <iostream>
#include <vbo/vbo.hpp>

int main() {
  vbo::StudyOptions options;
  options.space =
      vbo::Space::make({vbo::Parameter::real("x", -5, 10), vbo::Parameter::integer("n", 1, 8)})
          .value();
  options.objectives = {{.name = "value", .goal = vbo::Goal::minimize}};
  options.optimizer = {.seed = 1, .batch = 8};
  options.storage = "memory:";  // or a file name: then it can be stopped and resumed

  vbo::Study study = vbo::Study::open(options).value();
  for (int round = 0; round < 25; ++round) {
    for (const vbo::Trial& trial : study.ask(8).value()) {
      const double x = std::get<double>(trial.point[0]);
      const auto n = std::get<std::int64_t>(trial.point[1]);
      study.tell(trial.id, std::pow(x - 2, 2) + std::abs(static_cast<double>(n) - 3)).value();
    }
  }
  const vbo::Trial best = *study.best().value();
  std::cout << "best " << best.values.front() << " at x = " << vbo::to_string(best.point[0])
            << ", n = " << vbo::to_string(best.point[1]) << "\n";
}

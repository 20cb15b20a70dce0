// SPDX-License-Identifier: MIT
// The C++ side of ask_speed.py: CPU seconds of each round of ask(1024) and tell, one per line.
#include <cstdio>
#include <ctime>

#include "vbo/vbo.hpp"

int main(int, char** arguments) {
  constexpr int kRounds = 8;
  constexpr int kBatch = 1024;
  std::vector<vbo::Parameter> parameters;
  for (int i = 0; i < 8; ++i) {
    parameters.push_back(vbo::Parameter::real("x" + std::to_string(i), 0, 1));
  }
  parameters.push_back(vbo::Parameter::integer("n", 1, 64));
  parameters.push_back(vbo::Parameter::categorical("kind", {"a", "b", "c"}));
  vbo::StudyOptions options;
  options.space = vbo::Space::make(parameters).value();
  options.budget = std::int64_t{kRounds} * kBatch;
  options.optimizer = {.method = arguments[1], .seed = 1, .batch = kBatch, .threads = 1};
  vbo::Study study = vbo::Study::open(options).value();
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t start = std::clock();
    const std::vector<vbo::Trial> trials = study.ask(kBatch).value();
    std::vector<vbo::Outcome> outcomes;
    for (const vbo::Trial& trial : trials) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 8; ++i) {
        const double x = std::get<double>(trial.point[i]) - 0.3;
        sum += x * x;
      }
      outcomes.push_back({.id = trial.id, .values = {sum}});
    }
    study.tell(std::move(outcomes)).value();
    std::printf("%.6f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
}

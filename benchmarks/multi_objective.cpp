// SPDX-License-Identifier: MIT
// A method with several objectives, asked and told over standard input and output, for
// benchmarks/peers/multi_objective.py:
//   multi_objective METHOD SEED BATCH ROUNDS INPUTS OBJECTIVES CONSTRAINTS
// Every round it prints BATCH points of the unit cube, one per line, and reads as many lines of
// values, which are minimized, followed by constraints, which hold where they are at most 0. The
// last line it prints has the median of the seconds of a round (tell and ask).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

#include "vbo/optimizer.hpp"

namespace {

using namespace vbo;

struct Setting {
  std::string method;
  std::uint64_t seed = 1;
  std::int64_t batch = 64, rounds = 20;
  std::size_t inputs = 0, objectives = 0, constraints = 0;
};

std::unique_ptr<Optimizer> optimizer_of(const Setting& setting) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < setting.inputs; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i + 1), 0.0, 1.0));
  }
  std::vector<Limit> limits;
  for (std::size_t i = 0; i < setting.constraints; ++i) {
    limits.push_back({.metric = "g" + std::to_string(i + 1), .at_most = 0.0});
  }
  const Space space = Space::make(std::move(parameters), {}, std::move(limits)).value();
  OptimizerOptions options{.method = setting.method, .seed = setting.seed, .batch = setting.batch};
  options.budget = setting.batch * setting.rounds;
  for (std::size_t m = 0; m < setting.objectives; ++m) {
    options.objectives.push_back({.name = "f" + std::to_string(m + 1), .goal = Goal::minimize});
  }
  return make_optimizer(space, options).value();
}

// Methods maximize: a study turns the sign of what is minimized.
Trial result_of(const Setting& setting, const std::string& line) {
  std::istringstream text(line);
  Trial trial;
  trial.state = TrialState::completed;
  for (std::size_t m = 0; m < setting.objectives; ++m) {
    double value = 0.0;
    if (!(text >> value)) throw std::runtime_error("too few values: " + line);
    trial.values.push_back(-value);
  }
  for (std::size_t i = 0; i < setting.constraints; ++i) {
    double value = 0.0;
    if (!(text >> value)) throw std::runtime_error("too few constraints: " + line);
    trial.metrics["g" + std::to_string(i + 1)] = value;
  }
  return trial;
}

void run(const Setting& setting) {
  const auto optimizer = optimizer_of(setting);
  std::vector<double> seconds;
  std::vector<Trial> told;
  TrialId next = 1;
  for (std::int64_t round = 0; round < setting.rounds; ++round) {
    std::vector<TrialId> ids(static_cast<std::size_t>(setting.batch));
    std::iota(ids.begin(), ids.end(), next);
    next += setting.batch;
    const auto start = std::chrono::steady_clock::now();
    optimizer->tell(told);
    const std::vector<Suggestion> made = optimizer->ask(ids);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
    for (const Suggestion& suggestion : made) {
      for (const Value& value : suggestion.point) std::printf("%.17g ", std::get<double>(value));
      std::printf("\n");
    }
    std::fflush(stdout);
    told.clear();
    for (std::size_t i = 0; i < made.size(); ++i) {
      std::string line;
      if (!std::getline(std::cin, line)) throw std::runtime_error("the input ends too early");
      Trial trial = result_of(setting, line);
      trial.id = ids[i];
      trial.point = made[i].point;
      trial.rationale = made[i].rationale;
      trial.asked_in = 2 * round + 1;
      trial.told_in = 2 * round + 2;
      told.push_back(std::move(trial));
    }
  }
  std::ranges::sort(seconds);
  std::printf("%.6f\n", seconds[seconds.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: multi_objective METHOD SEED BATCH ROUNDS INPUTS OBJECTIVES "
                 "CONSTRAINTS\n");
    return 2;
  }
  try {
    run({argv[1], std::stoull(argv[2]), std::stoi(argv[3]), std::stoi(argv[4]), std::stoul(argv[5]),
         std::stoul(argv[6]), std::stoul(argv[7])});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "multi_objective: %s\n", error.what());
    return 2;
  }
  return 0;
}

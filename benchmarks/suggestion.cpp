// SPDX-License-Identifier: MIT
// What a suggestion costs in the middle of a study: one round (tell B results, ask for the next B)
// divided by B, for a method with D float parameters and n results behind it. CPU seconds of one
// thread, for machines are shared; the mean of several rounds, for methods do not train in each.
//   suggestion METHOD D B N [ROUNDS]     prints METHOD,D,B,N,MILLISECONDS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace {

using namespace vbo;

Trial finished(TrialId id, Point point) {
  Trial trial;
  trial.id = id;
  double sum = 0.0;
  for (const Value& v : point) sum -= (std::get<double>(v) - 0.3) * (std::get<double>(v) - 0.3);
  trial.values = {sum};
  trial.point = std::move(point);
  trial.state = TrialState::completed;
  return trial;
}

double cpu_milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: suggestion METHOD D B N [ROUNDS]\n");
    return 2;
  }
  const int dimensions = std::atoi(argv[2]), batch = std::atoi(argv[3]),
            results = std::atoi(argv[4]);
  const int rounds = argc > 5 ? std::atoi(argv[5]) : std::max(10, 128 / batch);
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimensions; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  const Space space = Space::make(parameters).value();
  OptimizerOptions options{.method = argv[1], .seed = 1, .batch = batch, .threads = 1};
  options.budget = results + (rounds + 2) * batch;
  auto made = make_optimizer(space, options);
  if (!made) {
    std::fprintf(stderr, "suggestion: %s\n", made.error().message.c_str());
    return 1;
  }
  Optimizer& optimizer = **made;
  Rng rng(1, "suggestion");
  std::vector<Trial> past;
  for (int i = 0; i < results; ++i) {
    Point point;
    for (int d = 0; d < dimensions; ++d) point.emplace_back(rng.uniform());
    past.push_back(finished(1'000'000 + i, std::move(point)));
    if (past.size() == 1'000 || i + 1 == results) {
      optimizer.tell(past);
      past.clear();
    }
  }
  TrialId next = 1;
  const auto ask = [&] {
    std::vector<TrialId> ids(static_cast<std::size_t>(batch));
    std::iota(ids.begin(), ids.end(), next);
    next += batch;
    std::vector<Trial> trials;
    const std::vector<Suggestion> suggestions = optimizer.ask(ids);
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      trials.push_back(finished(ids[i], suggestions[i].point));
    }
    return trials;
  };
  std::vector<Trial> told = ask();  // the first round allocates
  const double start = cpu_milliseconds();
  for (int round = 0; round < rounds; ++round) {
    optimizer.tell(told);
    told = ask();
  }
  std::printf("%s,%d,%d,%d,%.4g\n", argv[1], dimensions, batch, results,
              (cpu_milliseconds() - start) / (rounds * batch));
}

// SPDX-License-Identifier: MIT
// Problems with measured constraints beside the engineering tasks (research/constraints.md): median
// of the best feasible value after 20 rounds of 16, and in how many seeds there was one.
//   limited_problems [SEEDS [METHOD...]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "vbo/optimizer.hpp"

namespace {

using namespace vbo;
using Numbers = std::vector<double>;

struct Measured {
  double cost;
  Numbers excesses;  // feasible where all are <= 0
};

struct Problem {
  std::string name;
  Numbers low, high;
  double best;
  std::size_t limits;
  std::function<Measured(const Numbers&)> measure;
};

// G06, G08, G24 of the CEC 2006 collection (Liang et al.); Q5: a rotated quadratic in five
// dimensions whose optimum lies where three planes of a cut-off corner meet the valley.
std::vector<Problem> problems() {
  const auto q5 = [](const Numbers& x) {
    double cost = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double along = x[i] + 0.5 * x[(i + 1) % 5] - 0.3 * x[(i + 2) % 5] - 1.0;
      cost += std::pow(10.0, 0.5 * static_cast<double>(i)) * along * along;
      sum += x[i];
    }
    return Measured{cost, {sum - 1.0, x[0] - x[1] - 0.2, x[2] + 2.0 * x[3] - 0.5}};
  };
  constexpr double pi = 3.14159265358979323846;
  return {
      {"G06",
       {13, 0},
       {100, 100},
       -6961.81388,
       2,
       [](const Numbers& x) {
         const double cost = std::pow(x[0] - 10, 3) + std::pow(x[1] - 20, 3);
         return Measured{cost,
                         {100 - std::pow(x[0] - 5, 2) - std::pow(x[1] - 5, 2),
                          std::pow(x[0] - 6, 2) + std::pow(x[1] - 5, 2) - 82.81}};
       }},
      {"G08",
       {0.001, 0.001},
       {10, 10},
       -0.095825,
       2,
       [](const Numbers& x) {
         const double cost = -std::pow(std::sin(2 * pi * x[0]), 3) * std::sin(2 * pi * x[1]) /
                             (std::pow(x[0], 3) * (x[0] + x[1]));
         return Measured{cost, {x[0] * x[0] - x[1] + 1, 1 - x[0] + std::pow(x[1] - 4, 2)}};
       }},
      {"G24",
       {0, 0},
       {3, 4},
       -5.508013,
       2,
       [](const Numbers& x) {
         const double a = x[0];
         return Measured{
             -x[0] - x[1],
             {-2 * std::pow(a, 4) + 8 * std::pow(a, 3) - 8 * a * a + x[1] - 2,
              -4 * std::pow(a, 4) + 32 * std::pow(a, 3) - 88 * a * a + 96 * a + x[1] - 36}};
       }},
      {"Q5", Numbers(5, -2.0), Numbers(5, 2.0), NAN, 3, q5},
  };
}

double play(const Problem& problem, const std::string& method, std::uint64_t seed) {
  constexpr int batch = 16, rounds = 20;
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < problem.low.size(); ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), problem.low[i], problem.high[i]));
  }
  std::vector<Limit> limits;
  for (std::size_t i = 0; i < problem.limits; ++i)
    limits.push_back({"g" + std::to_string(i), 0.0, {}});
  const Space space = Space::make(std::move(parameters), {}, limits).value();
  OptimizerOptions options;
  options.method = method;
  options.seed = seed;
  options.batch = batch;
  options.budget = batch * rounds;
  options.threads = 1;
  auto optimizer = make_optimizer(space, options).value();
  double best = INFINITY;
  for (int round = 0; round < rounds; ++round) {
    std::vector<TrialId> ids(batch);
    std::iota(ids.begin(), ids.end(), 1 + round * batch);
    const std::vector<Suggestion> suggested = optimizer->ask(ids);
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Numbers x;
      for (const Value& value : suggested[i].point) x.push_back(std::get<double>(value));
      const Measured measured = problem.measure(x);
      Outcome outcome = Outcome::of(-measured.cost);
      double most = -INFINITY;
      for (std::size_t k = 0; k < limits.size(); ++k) {
        outcome.metrics[limits[k].metric] = measured.excesses[k];
        most = std::max(most, measured.excesses[k]);
      }
      if (most <= 0.0) best = std::min(best, measured.cost);
      Trial open{.id = ids[i], .point = suggested[i].point, .rationale = suggested[i].rationale};
      open.asked_in = 2 * round + 1;
      trials.push_back(ended_by(std::move(open), std::move(outcome), limits));
      trials.back().told_in = 2 * round + 2;
    }
    optimizer->tell(trials);
  }
  return best;
}

}  // namespace

int main(int count, char** values) {
  const int seeds = count > 1 ? std::atoi(values[1]) : 5;
  std::vector<std::string> methods(values + std::min(count, 2), values + count);
  if (methods.empty()) methods = {"vbo", "gp-logei", "cmaes", "random"};
  for (const Problem& problem : problems()) {
    for (const std::string& method : methods) {
      Numbers bests;
      for (int seed = 1; seed <= seeds; ++seed) {
        bests.push_back(play(problem, method, static_cast<std::uint64_t>(seed)));
      }
      std::ranges::sort(bests);
      const auto feasible = std::ranges::count_if(bests, [](double b) { return std::isfinite(b); });
      std::printf("%-4s (best known %.6g) %-9s median %.6g, worst %.6g, feasible %ld of %d\n",
                  problem.name.c_str(), problem.best, method.c_str(), bests[bests.size() / 2],
                  bests.back(), static_cast<long>(feasible), seeds);
      std::fflush(stdout);
    }
  }
  return 0;
}

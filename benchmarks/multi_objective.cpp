// SPDX-License-Identifier: MIT
// Methods on problems with several objectives (research/multi-objective.md): hypervolume relative
// to the true or best known front after some rounds, medians over seeds, and the time of a round.
//   multi_objective run PROBLEM,...|all SEEDS BATCH ROUNDS METHOD...
//   multi_objective list                  one JSON line per problem
//   multi_objective evaluate PROBLEM      points of the unit cube, one per line -> values, and how
//                                         far constraints are violated where there are any
//   multi_objective score PROBLEM COUNT   such results, one per line -> the relative hypervolume
//                                         of the first COUNT, 2 COUNT, ...; after COUNT the ideal
//                                         and the nadir of another front may follow
//   multi_objective results PROBLEM SEED BATCH ROUNDS METHOD    the results of one run
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

#include "multi_objective_problems.hpp"
#include "numerics/pareto.hpp"
#include "vbo/optimizer.hpp"

namespace {

using namespace vbo;
using bench::MultiObjectiveProblem;
using bench::Numbers;

// In units of the front, feasible results only; without a known front as it is.
double relative_hypervolume(const MultiObjectiveProblem& problem,
                            const std::vector<Numbers>& results, std::size_t count) {
  const std::size_t M = problem.objectives();
  std::vector<Numbers> good;
  for (std::size_t i = 0; i < std::min(count, results.size()); ++i) {
    if (results[i].size() < M || (problem.constrained && results[i].back() > 0.0)) continue;
    Numbers scaled;
    for (std::size_t m = 0; m < M; ++m) {
      scaled.push_back((results[i][m] - problem.ideal[m]) / (problem.nadir[m] - problem.ideal[m]));
    }
    if (std::ranges::all_of(scaled, [](double v) { return v < 1.1; })) good.push_back(scaled);
  }
  Matrix Y(static_cast<Eigen::Index>(M), std::ssize(good));
  for (Eigen::Index i = 0; i < Y.cols(); ++i) {
    const Numbers& y = good[static_cast<std::size_t>(i)];
    Y.col(i) = Eigen::Map<const Vector>(y.data(), Y.rows());
  }
  return hypervolume(Y, Vector::Constant(Y.rows(), 1.1)) / problem.hypervolume;
}

Space space_of(const MultiObjectiveProblem& problem) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < problem.inputs; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i + 1), 0.0, 1.0));
  }
  if (!problem.constrained) return Space::make(std::move(parameters)).value();
  return Space::make(std::move(parameters), {}, {{.metric = "violation", .at_most = 0.0}}).value();
}

struct Run {
  std::vector<Numbers> results;
  std::vector<double> seconds;  // per round
};

Run play(const MultiObjectiveProblem& problem, const std::string& method, std::uint64_t seed,
         std::int64_t batch, std::int64_t rounds) {
  OptimizerOptions options{.method = method, .seed = seed, .batch = batch};
  options.budget = batch * rounds;
  for (std::size_t m = 0; m < problem.objectives(); ++m) {
    options.objectives.push_back({.name = "f" + std::to_string(m), .goal = Goal::maximize});
  }
  const auto optimizer = make_optimizer(space_of(problem), options).value();
  Run run;
  TrialId next = 1;
  std::vector<Trial> told;
  for (std::int64_t round = 0; round <= rounds; ++round) {
    std::vector<TrialId> ids(static_cast<std::size_t>(batch));
    std::iota(ids.begin(), ids.end(), next);
    next += batch;
    const auto start = std::chrono::steady_clock::now();
    optimizer->tell(told);
    if (round == rounds) break;
    const std::vector<Suggestion> made = optimizer->ask(ids);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    run.seconds.push_back(taken.count());
    told.clear();
    for (std::size_t i = 0; i < made.size(); ++i) {
      Numbers u;
      for (const Value& value : made[i].point) u.push_back(std::get<double>(value));
      run.results.push_back(problem.evaluate(u));
      Trial& trial = told.emplace_back();
      trial.id = ids[i];
      trial.point = made[i].point;
      trial.rationale = made[i].rationale;
      trial.state = TrialState::completed;
      trial.asked_in = 2 * round + 1;
      trial.told_in = 2 * round + 2;
      const Numbers& result = run.results.back();
      for (std::size_t m = 0; m < problem.objectives(); ++m) trial.values.push_back(-result[m]);
      if (problem.constrained) trial.metrics["violation"] = result.back();
    }
  }
  return run;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

int run(const std::string& names, int seeds, std::int64_t batch, std::int64_t rounds,
        const std::vector<std::string>& methods) {
  std::vector<std::int64_t> shown;
  for (const std::int64_t r : {5, 10, 20, 40, 80}) {
    if (r <= rounds) shown.push_back(r);
  }
  if (shown.empty() || shown.back() != rounds) shown.push_back(rounds);
  std::printf("| problem | method |");
  for (const std::int64_t r : shown) std::printf(" %lld |", static_cast<long long>(r * batch));
  std::printf(" ms per round |\n|---|---|");
  for (std::size_t i = 0; i <= shown.size(); ++i) std::printf("---:|");
  std::printf("\n");
  for (const MultiObjectiveProblem& problem : bench::multi_objective_problems()) {
    const bool wanted = ("," + names + ",").find("," + problem.name + ",") != std::string::npos;
    if (names != "all" && !wanted) continue;
    for (const std::string& method : methods) {
      std::vector<std::vector<double>> found(shown.size());
      std::vector<double> seconds;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Run one = play(problem, method, static_cast<std::uint64_t>(seed), batch, rounds);
        for (std::size_t i = 0; i < shown.size(); ++i) {
          const auto count = static_cast<std::size_t>(shown[i] * batch);
          found[i].push_back(relative_hypervolume(problem, one.results, count));
        }
        seconds.push_back(median(one.seconds));
      }
      std::printf("| %s | %s |", problem.name.c_str(), method.c_str());
      for (const std::vector<double>& values : found) std::printf(" %.4f |", median(values));
      std::printf(" %.0f |\n", 1e3 * median(seconds));
      std::fflush(stdout);
    }
  }
  return 0;
}

int complain(const char* message) {
  std::fprintf(stderr, "multi_objective: %s; see the head of benchmarks/multi_objective.cpp\n",
               message);
  return 2;
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return complain("expected run, list, evaluate or score");
  const std::string& mode = arguments[0];
  if (mode == "run") {
    if (arguments.size() < 6)
      return complain("run: expected problems, seeds, batch, rounds, methods");
    return run(arguments[1], std::stoi(arguments[2]), std::stoi(arguments[3]),
               std::stoi(arguments[4]), {arguments.begin() + 5, arguments.end()});
  }
  const std::vector<MultiObjectiveProblem> all = bench::multi_objective_problems();
  if (mode == "list") {
    for (const MultiObjectiveProblem& problem : all) {
      std::printf("{\"name\": \"%s\", \"inputs\": %zu, \"objectives\": %zu, \"constrained\": %s}\n",
                  problem.name.c_str(), problem.inputs, problem.objectives(),
                  problem.constrained ? "true" : "false");
    }
    return 0;
  }
  if (arguments.size() < 2) return complain("expected the name of a problem");
  const auto problem = std::ranges::find(all, arguments[1], &MultiObjectiveProblem::name);
  if (problem == all.end()) return complain("unknown problem");
  const auto print = [](const Numbers& numbers) {
    for (const double value : numbers) std::printf("%.17g ", value);
    std::printf("\n");
  };
  if (mode == "results") {
    if (arguments.size() != 6) return complain("results: expected seed, batch, rounds, method");
    const Run one = play(*problem, arguments[5], std::stoull(arguments[2]), std::stoi(arguments[3]),
                         std::stoi(arguments[4]));
    std::fprintf(stderr, "%.4f\n", median(one.seconds));
    for (const Numbers& result : one.results) print(result);
    return 0;
  }
  std::vector<Numbers> results;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream text(line);
    Numbers numbers;
    for (double number = 0.0; text >> number;) numbers.push_back(number);
    if (mode != "evaluate") {
      results.push_back(std::move(numbers));
      continue;
    }
    if (numbers.size() != problem->inputs) return complain("a point of another dimension");
    print(problem->evaluate(numbers));
    std::fflush(stdout);
  }
  if (mode == "evaluate") return 0;
  if (mode != "score" || arguments.size() < 3) return complain("expected score PROBLEM COUNT");
  const auto count = static_cast<std::size_t>(std::stoi(arguments[2]));
  MultiObjectiveProblem scaled = *problem;
  const std::size_t M = problem->objectives();
  if (arguments.size() == 3 + 2 * M) {
    for (std::size_t m = 0; m < M; ++m) {
      scaled.ideal[m] = std::stod(arguments[3 + m]);
      scaled.nadir[m] = std::stod(arguments[3 + M + m]);
    }
    scaled.hypervolume = 1.0;
  }
  for (std::size_t n = count; n <= results.size(); n += count) {
    std::printf("%.6f ", relative_hypervolume(scaled, results, n));
  }
  std::printf("\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

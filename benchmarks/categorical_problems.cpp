// SPDX-License-Identifier: MIT
// Methods on pseudo-Boolean and categorical problems: the best value after a number of evaluations.
//   categorical_problems SEEDS METHOD... [--only TEXT] [--evaluations N] [--batch B] [--jobs J]
//   categorical_problems --serve PROBLEM     "choices..." first; then a point per line in, a value
//   out
// Twelve problems of 5 to 60 variables with 2 to 8 choices each, values to be maximized, plus
// LeadingOnes with five targets. Beside the methods of vbo there are `ea`, a (1+B) evolutionary
// algorithm that changes each variable with probability 1 / n, and `ga`, a genetic algorithm with
// B children a generation. A line for each run: problem, method, seed, best value after half of the
// evaluations and all, evaluations until the optimum (0 where it is not reached); then medians.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/job.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/random.hpp"
#include "vbo/study.hpp"

namespace {

using namespace vbo;
using Code = std::vector<int>;  // the chosen index of each variable

struct Problem {
  std::string name;
  std::vector<int> choices;  // of each variable
  std::function<double(const Code&)> value;
  double optimum;  // infinite where it is not known
};

Code random_code(const std::vector<int>& choices, Rng& rng) {
  Code code;
  for (const int n : choices) {
    code.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(n))));
  }
  return code;
}

std::vector<int> same(int variables, int choices) {
  return std::vector<int>(static_cast<std::size_t>(variables), choices);
}

int agreement(const Code& a, const Code& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0, std::plus<>(), std::equal_to<>());
}

Problem leading_ones(int variables, int choices, std::uint64_t instance) {
  Rng rng(instance, "target");
  const Code target = random_code(same(variables, choices), rng);
  return {"leading-ones-" + std::to_string(variables) + "x" + std::to_string(choices) + "-" +
              std::to_string(instance),
          same(variables, choices),
          [target](const Code& x) {
            return static_cast<double>(std::ranges::mismatch(x, target).in1 - x.begin());
          },
          static_cast<double>(variables)};
}

Problem one_max(int variables, int choices, std::uint64_t instance) {
  Rng rng(instance, "target");
  const Code target = random_code(same(variables, choices), rng);
  return {"one-max-" + std::to_string(variables) + "x" + std::to_string(choices),
          same(variables, choices),
          [target](const Code& x) { return static_cast<double>(agreement(x, target)); },
          static_cast<double>(variables)};
}

// A sum over variables of a random table of the variable and K others (an NK landscape).
Problem nk(int variables, int choices, int K, std::uint64_t instance) {
  Rng rng(instance, "nk");
  std::vector<std::vector<int>> neighbours;
  std::vector<std::vector<double>> tables;
  for (int i = 0; i < variables; ++i) {
    std::vector<int> others{i};
    while (std::ssize(others) <= K) {
      const int j = static_cast<int>(rng.below(static_cast<std::uint64_t>(variables)));
      if (std::ranges::find(others, j) == others.end()) others.push_back(j);
    }
    neighbours.push_back(others);
    std::vector<double> table(static_cast<std::size_t>(std::pow(choices, K + 1)));
    for (double& entry : table) entry = rng.uniform();
    tables.push_back(table);
  }
  return {
      "nk-" + std::to_string(variables) + "x" + std::to_string(choices) + "-" + std::to_string(K),
      same(variables, choices),
      [=](const Code& x) {
        double sum = 0.0;
        for (std::size_t i = 0; i < tables.size(); ++i) {
          std::size_t entry = 0;
          for (const int j : neighbours[i]) {
            entry = entry * static_cast<std::size_t>(choices) +
                    static_cast<std::size_t>(x[static_cast<std::size_t>(j)]);
          }
          sum += tables[i][entry];
        }
        return sum;
      },
      INFINITY};
}

// Satisfied clauses of three literals, each with a random weight.
Problem max_sat(int variables, int clauses, std::uint64_t instance) {
  Rng rng(instance, "sat");
  struct Clause {
    int variable[3], wanted[3];
    double weight;
  };
  std::vector<Clause> all;
  for (int c = 0; c < clauses; ++c) {
    Clause clause{};
    for (int l = 0; l < 3; ++l) {
      clause.variable[l] = static_cast<int>(rng.below(static_cast<std::uint64_t>(variables)));
      clause.wanted[l] = static_cast<int>(rng.below(2));
    }
    clause.weight = rng.uniform();
    all.push_back(clause);
  }
  return {"max-sat-" + std::to_string(variables), same(variables, 2),
          [all](const Code& x) {
            double sum = 0.0;
            for (const Clause& c : all) {
              for (int l = 0; l < 3; ++l) {
                if (x[static_cast<std::size_t>(c.variable[l])] == c.wanted[l]) {
                  sum += c.weight;
                  break;
                }
              }
            }
            return sum;
          },
          INFINITY};
}

// The merit factor of a sequence of signs.
Problem autocorrelation(int variables) {
  return {"autocorrelation-" + std::to_string(variables), same(variables, 2),
          [](const Code& x) {
            const int n = static_cast<int>(std::ssize(x));
            double energy = 0.0;
            for (int k = 1; k < n; ++k) {
              double sum = 0.0;
              for (int i = 0; i + k < n; ++i) {
                sum +=
                    (x[static_cast<std::size_t>(i)] == x[static_cast<std::size_t>(i + k)]) ? 1 : -1;
              }
              energy += sum * sum;
            }
            return n * n / (2.0 * energy);
          },
          INFINITY};
}

// Blocks of four whose value falls with every right variable until all are right.
Problem traps(int blocks, std::uint64_t instance) {
  Rng rng(instance, "trap");
  const Code target = random_code(same(4 * blocks, 2), rng);
  return {"traps-" + std::to_string(4 * blocks), same(4 * blocks, 2),
          [target, blocks](const Code& x) {
            double sum = 0.0;
            for (int b = 0; b < blocks; ++b) {
              int right = 0;
              for (int i = 4 * b; i < 4 * b + 4; ++i) {
                right += x[static_cast<std::size_t>(i)] == target[static_cast<std::size_t>(i)];
              }
              sum += right == 4 ? 4.0 : 3.0 - right;
            }
            return sum;
          },
          4.0 * blocks};
}

// A chain and random pairs of variables whose choices interact (a Potts model), and a field.
Problem potts(int variables, int choices, int pairs, std::uint64_t instance) {
  Rng rng(instance, "potts");
  struct Pair {
    std::size_t a, b;
    std::vector<double> table;
  };
  std::vector<Pair> all;
  for (int p = 0; p < pairs; ++p) {
    Pair pair;
    pair.a = static_cast<std::size_t>(p % variables);
    pair.b = rng.below(static_cast<std::uint64_t>(variables));
    for (int e = 0; e < choices * choices; ++e) pair.table.push_back(rng.normal());
    all.push_back(pair);
  }
  return {"potts-" + std::to_string(variables) + "x" + std::to_string(choices),
          same(variables, choices),
          [all, choices](const Code& x) {
            double sum = 0.0;
            for (const Pair& p : all) {
              sum += p.table[static_cast<std::size_t>(x[p.a] * choices + x[p.b])];
            }
            return sum;
          },
          INFINITY};
}

// Values of chosen items; what is too heavy counts against them.
Problem knapsack(int variables, std::uint64_t instance) {
  Rng rng(instance, "knapsack");
  std::vector<double> weights, values;
  double total = 0.0;
  for (int i = 0; i < variables; ++i) {
    weights.push_back(0.1 + rng.uniform());
    values.push_back(weights.back() * (0.5 + rng.uniform()));
    total += weights.back();
  }
  return {"knapsack-" + std::to_string(variables), same(variables, 2),
          [=](const Code& x) {
            double weight = 0.0, value = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              weight += x[i] * weights[i];
              value += x[i] * values[i];
            }
            return value - 5.0 * std::max(0.0, weight - 0.4 * total);
          },
          INFINITY};
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{
      leading_ones(32, 2, 1),
      leading_ones(32, 2, 2),
      leading_ones(32, 2, 3),
      leading_ones(32, 2, 4),
      leading_ones(32, 2, 5),
      leading_ones(12, 4, 6),
      one_max(60, 2, 1),
      one_max(15, 8, 2),
      nk(20, 2, 3, 1),
      nk(10, 5, 2, 2),
      max_sat(40, 160, 1),
      autocorrelation(24),
      traps(5, 1),
      potts(12, 6, 30, 1),
      potts(5, 8, 10, 2),
      knapsack(40, 1),
  };
  return all;
}

struct Settings {
  int seeds = 5, evaluations = 1000, batch = 16, jobs = 1;
  std::string only;
  std::vector<std::string> methods;
};

struct Run {
  double half = -INFINITY, whole = -INFINITY;
  int until = 0;  // evaluations
};

// Keeps the best value and when it came.
class Record {
 public:
  Record(const Problem& problem, int evaluations) : problem_(problem), evaluations_(evaluations) {}

  double evaluate(const Code& x) {
    const double value = problem_.value(x);
    run.whole = std::max(run.whole, value);
    if (++done <= evaluations_ / 2) run.half = run.whole;
    if (run.until == 0 && value >= problem_.optimum) run.until = done;
    return value;
  }
  bool over() const { return done >= evaluations_; }

  Run run;
  int done = 0;

 private:
  const Problem& problem_;
  int evaluations_;
};

Code mutated(Code x, const std::vector<int>& choices, Rng& rng) {
  const Code before = x;
  while (x == before) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (rng.uniform() * static_cast<double>(x.size()) >= 1.0) continue;
      const auto others = static_cast<std::uint64_t>(choices[i] - 1);
      x[i] = (x[i] + 1 + static_cast<int>(rng.below(others))) % choices[i];
    }
  }
  return x;
}

Run play_ea(const Problem& problem, std::uint64_t seed, const Settings& settings) {
  Record record(problem, settings.evaluations);
  Rng rng(seed, "ea");
  Code parent = random_code(problem.choices, rng);
  double value = record.evaluate(parent);
  while (!record.over()) {
    Code best;
    double best_value = -INFINITY;
    for (int i = 0; i < settings.batch && !record.over(); ++i) {
      Code child = mutated(parent, problem.choices, rng);
      const double v = record.evaluate(child);
      if (v > best_value) {
        best_value = v;
        best = std::move(child);
      }
    }
    if (best_value >= value) {
      value = best_value;
      parent = std::move(best);
    }
  }
  return record.run;
}

// Tournaments of three, uniform crossover, mutation, the best half of parents and children stays.
Run play_ga(const Problem& problem, std::uint64_t seed, const Settings& settings) {
  Record record(problem, settings.evaluations);
  Rng rng(seed, "ga");
  std::vector<std::pair<double, Code>> population;
  const int size = 2 * settings.batch;
  while (std::ssize(population) < size) {
    Code x = random_code(problem.choices, rng);
    const double v = record.evaluate(x);
    population.emplace_back(v, std::move(x));
  }
  const auto parent = [&]() -> const Code& {
    std::size_t best = rng.below(static_cast<std::uint64_t>(size));
    for (int i = 0; i < 2; ++i) {
      const std::size_t other = rng.below(static_cast<std::uint64_t>(size));
      if (population[other].first > population[best].first) best = other;
    }
    return population[best].second;
  };
  while (!record.over()) {
    std::vector<std::pair<double, Code>> children;
    for (int i = 0; i < settings.batch && !record.over(); ++i) {
      Code x = parent();
      const Code& other = parent();
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (rng.uniform() < 0.5) x[j] = other[j];
      }
      x = mutated(std::move(x), problem.choices, rng);
      const double v = record.evaluate(x);
      children.emplace_back(v, std::move(x));
    }
    std::ranges::move(children, std::back_inserter(population));
    std::ranges::stable_sort(population, std::greater<>(), &std::pair<double, Code>::first);
    population.resize(static_cast<std::size_t>(size));
  }
  return record.run;
}

Space space_of(const Problem& problem) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < problem.choices.size(); ++i) {
    std::vector<Value> names;
    for (int c = 0; c < problem.choices[i]; ++c) names.emplace_back("c" + std::to_string(c));
    parameters.push_back(Parameter::categorical("x" + std::to_string(i), names));
  }
  return Space::make(std::move(parameters)).value();
}

Code code_of(const Point& point) {
  Code x;
  for (const auto& value : point) x.push_back(std::atoi(std::get<std::string>(value).c_str() + 1));
  return x;
}

Run play(const Problem& problem, const std::string& method, std::uint64_t seed,
         const Settings& settings) {
  if (method == "ea") return play_ea(problem, seed, settings);
  if (method == "ga") return play_ga(problem, seed, settings);
  const bench::MethodSpec spec = bench::parse_method(method).value();
  StudyOptions options;
  options.space = space_of(problem);
  options.budget = settings.evaluations;
  options.objectives.front().goal = Goal::maximize;
  options.optimizer = {.method = spec.name,
                       .seed = seed,
                       .batch = settings.batch,
                       .budget = settings.evaluations,
                       .threads = 1,
                       .settings = spec.settings};
  Study study = Study::open(options, {std::make_unique<MemoryStorage>(), nullptr}).value();
  Record record(problem, settings.evaluations);
  while (!record.over()) {
    std::vector<Outcome> outcomes;
    const int count = std::min(settings.batch, settings.evaluations - record.done);
    for (const Trial& trial : study.ask(count).value()) {
      const double value = record.evaluate(code_of(trial.point));
      outcomes.push_back({.id = trial.id, .values = {value}});
    }
    if (outcomes.empty()) break;
    study.tell(std::move(outcomes)).value();
  }
  return record.run;
}

int serve(const std::string& name) {
  const auto found = std::ranges::find(problems(), name, &Problem::name);
  if (found == problems().end()) {
    std::fprintf(stderr, "there is no problem \"%s\"\n", name.c_str());
    return 2;
  }
  for (const int n : found->choices) std::printf("%d ", n);
  std::printf("\n");
  std::fflush(stdout);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    Code x;
    for (int c = 0; in >> c;) x.push_back(c);
    std::printf("%.17g\n", found->value(x));
    std::fflush(stdout);
  }
  return 0;
}

Settings settings_of(int count, char** values) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const auto next = [&] { return i + 1 < count ? values[++i] : ""; };
    if (word == "--only") {
      settings.only = next();
    } else if (word == "--evaluations") {
      settings.evaluations = std::atoi(next());
    } else if (word == "--batch") {
      settings.batch = std::atoi(next());
    } else if (word == "--jobs") {
      settings.jobs = std::atoi(next());
    } else if (i == 1) {
      settings.seeds = std::atoi(word.c_str());
    } else {
      settings.methods.push_back(word);
    }
  }
  if (settings.methods.empty()) settings.methods = {"vbo", "gp-logei", "ea", "ga", "random"};
  return settings;
}

}  // namespace

int main(int count, char** values) {
  if (count == 3 && std::string(values[1]) == "--serve") return serve(values[2]);
  if (count == 2 && std::string(values[1]) == "--list") {
    for (const Problem& problem : problems()) std::printf("%s\n", problem.name.c_str());
    return 0;
  }
  const Settings settings = settings_of(count, values);
  struct Cell {
    const Problem* problem;
    std::string method;
    std::vector<Run> runs;  // by seed
  };
  std::vector<Cell> cells;
  const auto seeds = static_cast<std::size_t>(std::max(0, settings.seeds));
  for (const Problem& problem : problems()) {
    if (problem.name.find(settings.only) == std::string::npos) continue;
    for (const std::string& method : settings.methods) {
      cells.push_back({&problem, method, std::vector<Run>(seeds)});
    }
  }
  std::mutex mutex;
  std::size_t next = 0;
  const auto work = [&] {
    while (true) {
      std::size_t k = 0;
      {
        const std::lock_guard lock(mutex);
        if (next >= cells.size() * seeds) return;
        k = next++;
      }
      Cell& cell = cells[k / seeds];
      const Run run = play(*cell.problem, cell.method, k % seeds + 1, settings);
      cell.runs[k % seeds] = run;
      const std::lock_guard lock(mutex);
      std::printf("run | %s | %s | %zu | %.6g | %.6g | %d\n", cell.problem->name.c_str(),
                  cell.method.c_str(), k % seeds + 1, run.half, run.whole, run.until);
      std::fflush(stdout);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < settings.jobs; ++i) workers.emplace_back(work);
  }
  std::printf("\n%-22s %-22s %10s %10s %8s\n", "medians", "method", "half", "whole", "solved");
  for (Cell& cell : cells) {
    const auto median = [&](double Run::*field) {
      std::vector<double> found;
      for (const Run& run : cell.runs) found.push_back(run.*field);
      std::ranges::sort(found);
      return 0.5 * (found[(found.size() - 1) / 2] + found[found.size() / 2]);
    };
    const auto solved = std::ranges::count_if(cell.runs, [](const Run& r) { return r.until > 0; });
    std::printf("%-22s %-22s %10.4f %10.4f %5td/%zu\n", cell.problem->name.c_str(),
                cell.method.c_str(), median(&Run::half), median(&Run::whole), solved,
                cell.runs.size());
  }
  return 0;
}

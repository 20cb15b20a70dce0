// SPDX-License-Identifier: MIT
// Methods on noisy functions: the true value of the point that a study recommends.
//   noisy_problems SEEDS METHOD... [--only TEXT] [--evaluations N] [--batch B] [--jobs J]
//   noisy_problems --serve PROBLEM SEED      a point per line in, "noisy true" per line out
// Sixteen functions, shifted and rotated, with noise that is added, multiplied, uniform or
// heavy-tailed, mild and severe. A line for each run: problem, method, seed, and the log10 of the
// gap at the recommended point after half of the evaluations and all, of the best observation, and
// of the best point that was evaluated; then a table of medians.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/job.hpp"
#include "storage/memory/memory.hpp"
#include "tasks/basic_task.hpp"
#include "tasks/task.hpp"
#include "vbo/random.hpp"
#include "vbo/report.hpp"
#include "vbo/study.hpp"

namespace {

using namespace vbo;

enum class NoiseKind { none, added, multiplied, uniform, heavy };

// f >= 0 is the gap to the optimum, s a scale of the function:
//   added       f + level s z,                 z normal
//   multiplied  f exp(level z)
//   uniform     f u^level max(1, (s / f)^(u' level / 2)),   u and u' uniform
//   heavy       f + level s t,                 t of Cauchy's distribution
struct Problem {
  std::string name, task;
  NoiseKind kind = NoiseKind::none;
  double level = 0.0;
  double scale = 1.0;  // s
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{
      {"sphere-10 multiplied", "sphere?dim=10&shift=21&rotate=21", NoiseKind::multiplied, 1.0},
      {"sphere-20 uniform", "sphere?dim=20&shift=22&rotate=22", NoiseKind::uniform, 1.0, 100.0},
      {"sphere-5 added", "sphere?dim=5&shift=23&rotate=23", NoiseKind::added, 0.3, 40.0},
      {"ellipsoid-5 multiplied", "ellipsoid?dim=5&shift=24&rotate=24", NoiseKind::multiplied, 1.0},
      {"ellipsoid-10 heavy", "ellipsoid?dim=10&shift=25&rotate=25", NoiseKind::heavy, 0.02, 1e7},
      {"rosenbrock-10 multiplied", "rosenbrock?dim=10&shift=26", NoiseKind::multiplied, 1.0},
      {"rosenbrock-5 added", "rosenbrock?dim=5&shift=27&rotate=27", NoiseKind::added, 0.05, 2e5},
      {"rosenbrock-10 uniform", "rosenbrock?dim=10&shift=28&rotate=28", NoiseKind::uniform, 1.0,
       1e5},
      {"zakharov-5 multiplied", "zakharov?dim=5&shift=29&rotate=29", NoiseKind::multiplied, 0.3},
      {"quartic-10 heavy", "quartic?dim=10&shift=30", NoiseKind::heavy, 0.02, 50.0},
      {"rastrigin-5 multiplied", "rastrigin?dim=5&shift=31&rotate=31", NoiseKind::multiplied, 0.3},
      {"ackley-10 added", "ackley?dim=10&shift=32&rotate=32", NoiseKind::added, 0.1, 20.0},
      {"griewank-10 heavy", "griewank?dim=10&shift=33&rotate=33", NoiseKind::heavy, 0.02, 300.0},
      {"levy-5 added", "levy?dim=5&shift=34&rotate=34", NoiseKind::added, 0.2, 40.0},
      {"styblinski-5 added", "styblinski-tang?dim=5&shift=35", NoiseKind::added, 0.3, 80.0},
      {"different-powers-20 mild", "different-powers?dim=20&shift=36&rotate=36",
       NoiseKind::multiplied, 0.01},
      {"schaffer-10 multiplied", "schaffer7?dim=10&shift=37&rotate=37", NoiseKind::multiplied, 1.0},
      {"peaks-5 added", "peaks?dim=5", NoiseKind::added, 0.2, 1.0},
  };
  return all;
}

struct Game {
  const Problem& problem;
  std::unique_ptr<tasks::Task> task;

  explicit Game(const Problem& of) : problem(of), task(tasks::make_task(of.task).value()) {}

  double gap(const Point& point) const {
    const double value = *task->noiseless(point);
    const double best = task->info().optimum->value;
    return std::max(task->info().goal == Goal::minimize ? value - best : best - value, 1e-12);
  }
  double measure(double f, Rng& rng) const {
    const double level = problem.level;
    switch (problem.kind) {
      case NoiseKind::none:
        return f;
      case NoiseKind::added:
        return f + level * problem.scale * rng.normal();
      case NoiseKind::multiplied:
        return f * std::exp(level * rng.normal());
      case NoiseKind::uniform: {
        const double below = std::pow(rng.uniform(), level);
        return f * below * std::max(1.0, std::pow(problem.scale / f, 0.5 * level * rng.uniform()));
      }
      case NoiseKind::heavy:
        return f + level * problem.scale * std::tan(3.14159265358979 * (rng.uniform() - 0.5));
    }
    return f;
  }
};

struct Settings {
  int seeds = 5, evaluations = 640, batch = 16, jobs = 1;
  std::string only;
  std::vector<std::string> methods;
};

struct Run {
  double half = 0.0, whole = 0.0;  // log10 of the gap at the recommended point
  double observed = 0.0;           // at the best observation
  double tried = 0.0;              // of the best point evaluated
};

Run play(const Problem& problem, const std::string& method, std::uint64_t seed,
         const Settings& settings) {
  const Game game(problem);
  const bench::MethodSpec spec = bench::parse_method(method).value();
  StudyOptions options;
  options.space = game.task->space();
  options.budget = settings.evaluations;
  options.objectives.front().goal = Goal::minimize;
  options.optimizer = {.method = spec.name,
                       .seed = seed,
                       .batch = settings.batch,
                       .budget = settings.evaluations,
                       .threads = 1,
                       .settings = spec.settings};
  auto storage = std::make_unique<MemoryStorage>();
  MemoryStorage& stored = *storage;
  Study study = Study::open(options, {std::move(storage), nullptr}).value();
  Run run;
  double observed = INFINITY, tried = INFINITY;
  const auto recommended = [&] {
    const std::vector<Trial> trials = stored.load_history().value();
    return std::log10(game.gap(recommend(study.record(), trials).best->point));
  };
  for (int done = 0; done < settings.evaluations; done += settings.batch) {
    std::vector<Outcome> outcomes;
    for (const Trial& trial : study.ask(settings.batch).value()) {
      Rng rng(seed, "noise", static_cast<std::uint64_t>(trial.id));
      const double gap = game.gap(trial.point), value = game.measure(gap, rng);
      if (value < observed) {
        observed = value;
        run.observed = std::log10(gap);
      }
      tried = std::min(tried, gap);
      outcomes.push_back({.id = trial.id, .values = {value}});
    }
    study.tell(std::move(outcomes)).value();
    if (done + settings.batch == settings.evaluations / 2) run.half = recommended();
  }
  run.whole = recommended();
  run.tried = std::log10(tried);
  return run;
}

int serve(const std::string& name, std::uint64_t seed) {
  const auto found = std::ranges::find(problems(), name, &Problem::name);
  if (found == problems().end()) {
    std::fprintf(stderr, "there is no problem \"%s\"\n", name.c_str());
    return 2;
  }
  const Game game(*found);
  for (const Parameter& parameter : game.task->space().parameters()) {
    std::printf("%.17g %.17g ", parameter.low, parameter.high);
  }
  std::printf("\n");
  std::fflush(stdout);
  std::string line;
  for (std::uint64_t id = 1; std::getline(std::cin, line); ++id) {
    std::istringstream in(line);
    Point point;
    for (double x = 0.0; in >> x;) point.emplace_back(x);
    Rng rng(seed, "noise", id);
    const double gap = game.gap(point);
    std::printf("%.17g %.17g\n", game.measure(gap, rng), gap);
    std::fflush(stdout);
  }
  return 0;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
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
  if (settings.methods.empty()) settings.methods = {"vbo", "gp-logei", "cmaes", "turbo"};
  return settings;
}

struct Cell {
  const Problem* problem;
  std::string method;
  std::vector<Run> runs;  // by seed
};

std::vector<Cell> play_all(const Settings& settings) {
  std::vector<Cell> cells;
  for (const Problem& problem : problems()) {
    if (problem.name.find(settings.only) == std::string::npos) continue;
    for (const std::string& method : settings.methods) {
      cells.push_back({&problem, method,
                       std::vector<Run>(static_cast<std::size_t>(std::max(0, settings.seeds)))});
    }
  }
  const std::size_t seeds = cells.empty() ? 0 : cells.front().runs.size();
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
      std::printf("run | %s | %s | %zu | %.3f | %.3f | %.3f | %.3f\n", cell.problem->name.c_str(),
                  cell.method.c_str(), k % seeds + 1, run.half, run.whole, run.observed, run.tried);
      std::fflush(stdout);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < settings.jobs; ++i) workers.emplace_back(work);
  workers.clear();
  return cells;
}

}  // namespace

int main(int count, char** values) {
  if (count == 4 && std::string(values[1]) == "--serve") {
    return serve(values[2], static_cast<std::uint64_t>(std::atoll(values[3])));
  }
  if (count == 2 && std::string(values[1]) == "--list") {
    for (const Problem& problem : problems()) std::printf("%s\n", problem.name.c_str());
    return 0;
  }
  const Settings settings = settings_of(count, values);
  std::map<std::string, std::vector<double>> all;
  std::printf("\n%-26s %-22s %8s %8s %8s %8s\n", "medians of log10 gaps", "method", "half", "whole",
              "observed", "tried");
  for (const Cell& cell : play_all(settings)) {
    const auto of = [&](double Run::*field) {
      std::vector<double> found;
      for (const Run& run : cell.runs) found.push_back(run.*field);
      return median(found);
    };
    std::printf("%-26s %-22s %8.2f %8.2f %8.2f %8.2f\n", cell.problem->name.c_str(),
                cell.method.c_str(), of(&Run::half), of(&Run::whole), of(&Run::observed),
                of(&Run::tried));
    all[cell.method].push_back(of(&Run::whole));
  }
  for (const auto& [method, gaps] : all) {
    double sum = 0.0;
    for (const double gap : gaps) sum += gap;
    std::printf("%-22s mean of medians %.3f over %zu problems\n", method.c_str(),
                sum / static_cast<double>(gaps.size()), gaps.size());
  }
  return 0;
}

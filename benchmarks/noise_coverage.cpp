// SPDX-License-Identifier: MIT
// How often the 90% interval of the recommended point holds its true value: 4 functions x 3 noise
// levels x noise constant or growing with the value x 2 methods x seeds, one study each.
//   build/release/noise_coverage [SEEDS] [EVALUATIONS] [METHOD ...]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/memory/memory.hpp"
#include "vbo/random.hpp"
#include "vbo/report.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

struct Function {
  const char* name;
  std::size_t dimension;
  double spread;  // standard deviation of its values over the box, roughly
  double (*value)(const std::vector<double>&);  // on [0,1]^D
};

double sphere(const std::vector<double>& u) {
  double sum = 0.0;
  for (const double x : u) sum += (x - 0.35) * (x - 0.35);
  return sum;
}
double branin(const std::vector<double>& u) {
  const double pi = 3.14159265358979323846;
  const double x = 15.0 * u[0] - 5.0, y = 15.0 * u[1];
  const double bend = y - 5.1 / (4 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
  return bend * bend + 10.0 * (1.0 - 1.0 / (8 * pi)) * std::cos(x) + 10.0;
}
double rosenbrock(const std::vector<double>& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double a = 4.0 * u[i] - 2.0, b = 4.0 * u[i + 1] - 2.0;
    sum += 100.0 * (b - a * a) * (b - a * a) + (1.0 - a) * (1.0 - a);
  }
  return sum;
}
double waves(const std::vector<double>& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += std::sin(4.0 * u[i] + static_cast<double>(i)) + 0.5 * u[i];
  }
  return sum;
}
constexpr Function kFunctions[] = {{"sphere5", 5, 0.22, sphere},
                                   {"branin", 2, 51.0, branin},
                                   {"rosenbrock3", 3, 600.0, rosenbrock},
                                   {"waves4", 4, 1.3, waves}};
constexpr double kLevels[] = {0.05, 0.2, 0.5};  // of the spread

struct Tally {
  int studies = 0, noisy = 0, inside = 0;
  // (estimate - truth) / half width of those with an interval.
  std::vector<double> errors;
  void add(const Tally& other) {
    studies += other.studies;
    noisy += other.noisy;
    inside += other.inside;
    errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  }
};

// One study; which of the parts of the tally it adds to is its verdict's business.
void play(const Function& function, double level, bool grows, const std::string& method,
          std::uint64_t seed, std::int64_t evaluations, Tally& tally) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < function.dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  StudyOptions options;
  options.space = Space::make(std::move(parameters)).value();
  options.budget = evaluations;
  options.optimizer = {
      .method = method, .seed = seed, .batch = 16, .budget = evaluations, .threads = 1};
  auto storage = std::make_unique<MemoryStorage>();
  MemoryStorage& stored = *storage;
  Study study = Study::open(options, {std::move(storage), nullptr}).value();
  const auto truth = [&](const Point& point) {
    std::vector<double> u;
    for (const Value& v : point) u.push_back(std::get<double>(v));
    return function.value(u);
  };
  for (std::int64_t done = 0; done < evaluations; done += 16) {
    std::vector<Outcome> outcomes;
    for (const Trial& trial : study.ask(16).value()) {
      const double f = truth(trial.point);
      const double sigma = level * (grows ? 0.2 * function.spread + std::abs(f) : function.spread);
      Rng rng(seed, "noise", static_cast<std::uint64_t>(trial.id));
      outcomes.push_back({.id = trial.id, .values = {f + sigma * rng.normal()}});
    }
    study.tell(std::move(outcomes)).value();
  }
  const std::vector<Trial> trials = stored.load_history().value();
  const Estimate found = estimate(study.record(), trials);
  ++tally.studies;
  if (!found.best) return;
  ++tally.noisy;
  const double f = truth(trials[static_cast<std::size_t>(found.best->id - 1)].point);
  tally.inside += found.best->low <= f && f <= found.best->high;
  tally.errors.push_back((found.best->mean - f) / (0.5 * (found.best->high - found.best->low)));
}

void print(const std::string& name, Tally tally) {
  const auto count = static_cast<double>(std::max(tally.noisy, 1));
  double sum = 0.0;
  for (double& error : tally.errors) {
    sum += error;
    error = std::abs(error);
  }
  std::ranges::sort(tally.errors);
  const auto most = static_cast<std::size_t>(0.9 * static_cast<double>(tally.errors.size()));
  std::printf("%-30s studies %4d  noise found %4d  inside %5.1f%%", name.c_str(), tally.studies,
              tally.noisy, 100.0 * tally.inside / count);
  if (!tally.errors.empty()) {
    std::printf("  mean error %+.2f, 90%% of errors within %.2f half widths", sum / count,
                tally.errors[std::min(most, tally.errors.size() - 1)]);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace vbo

int main(int count, char** arguments) {
  using namespace vbo;
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 5;
  const std::int64_t evaluations = count > 2 ? std::atoll(arguments[2]) : 128;
  std::vector<std::string> methods(arguments + std::min(count, 3), arguments + count);
  if (methods.empty()) methods = {"sobol", "vbo"};
  std::map<std::string, Tally> groups;
  Tally all;
  for (const Function& function : kFunctions) {
    for (const std::string& method : methods) {
      for (const double level : kLevels) {
        for (const bool grows : {false, true}) {
          Tally tally;
          for (int seed = 1; seed <= seeds; ++seed) {
            play(function, level, grows, method, static_cast<std::uint64_t>(seed), evaluations,
                 tally);
          }
          char name[64];
          std::snprintf(name, sizeof name, "%s %s %.2f %s", function.name, method.c_str(), level,
                        grows ? "growing" : "constant");
          print(name, tally);
          for (Tally* sum : {&groups["= " + method], &groups[grows ? "= growing" : "= constant"],
                             &groups[std::string("= ") + function.name], &all}) {
            sum->add(tally);
          }
        }
      }
    }
  }
  for (const auto& [name, tally] : groups) print(name, tally);
  print("= all", all);
  return 0;
}

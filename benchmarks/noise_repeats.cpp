// SPDX-License-Identifier: MIT
// Whether repeats = "auto" finds better points than no repeats and than four of every point: the
// true value at the recommended point, on 4 functions x 3 noise levels x seeds, and how often it
// evaluates again without noise.
//   build/release/noise_repeats [SEEDS] [EVALUATIONS] [METHOD]
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
constexpr double kLevels[] = {0.0, 0.05, 0.2, 0.5};  // of the spread

constexpr std::int64_t kRepeats[] = {1, 4, kAutoRepeats};

struct Found {
  double truth = 0.0;  // at the recommended point
  std::int64_t repeats = 0;
};

Found play(const Function& function, double level, std::int64_t repeats, const std::string& method,
           std::uint64_t seed, std::int64_t evaluations) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < function.dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  StudyOptions options;
  options.space = Space::make(std::move(parameters)).value();
  options.budget = evaluations;
  options.optimizer = {.method = method,
                       .seed = seed,
                       .batch = 16,
                       .budget = evaluations,
                       .threads = 1,
                       .repeats = repeats};
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
      Rng rng(seed, "noise", static_cast<std::uint64_t>(trial.id));
      const double noise = level * function.spread * rng.normal();
      outcomes.push_back({.id = trial.id, .values = {truth(trial.point) + noise}});
    }
    study.tell(std::move(outcomes)).value();
  }
  const std::vector<Trial> trials = stored.load_history().value();
  const Recommended best = recommend(study.record(), trials);
  Found found{truth(best.best->point)};
  for (const Trial& trial : trials) found.repeats += trial.rationale.repeat_of != 0;
  return found;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

}  // namespace
}  // namespace vbo

int main(int count, char** arguments) {
  using namespace vbo;
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 5;
  const std::int64_t evaluations = count > 2 ? std::atoll(arguments[2]) : 256;
  const std::string method = count > 3 ? arguments[3] : "vbo";
  std::map<std::int64_t, int> better, studies;  // than with so many repeats, with noise
  std::printf("median true value at the recommended point, %s, %d seeds, %lld evaluations\n",
              method.c_str(), seeds, static_cast<long long>(evaluations));
  std::printf("%-22s %12s %12s %12s  %s\n", "function, noise", "1", "4", "auto", "evaluated again");
  for (const Function& function : kFunctions) {
    for (const double level : kLevels) {
      std::map<std::int64_t, std::vector<double>> truths;
      double again = 0.0;
      for (int seed = 1; seed <= seeds; ++seed) {
        for (const std::int64_t repeats : kRepeats) {
          const Found found =
              play(function, level, repeats, method, static_cast<std::uint64_t>(seed), evaluations);
          truths[repeats].push_back(found.truth);
          if (repeats == kAutoRepeats) again += static_cast<double>(found.repeats) / seeds;
        }
        for (const std::int64_t repeats : {std::int64_t{1}, std::int64_t{4}}) {
          if (level == 0.0) continue;
          ++studies[repeats];
          better[repeats] += truths[kAutoRepeats].back() < truths[repeats].back();
        }
      }
      std::printf("%-16s %5.2f %12.5g %12.5g %12.5g  %5.1f\n", function.name, level,
                  median(truths[1]), median(truths[4]), median(truths[kAutoRepeats]), again);
      std::fflush(stdout);
    }
  }
  for (const auto& [repeats, number] : studies) {
    std::printf("with noise auto is better than repeats = %lld in %d of %d studies\n",
                static_cast<long long>(repeats), better[repeats], number);
  }
  return 0;
}

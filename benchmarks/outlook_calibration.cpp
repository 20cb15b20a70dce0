// SPDX-License-Identifier: MIT
// How often another batch brings a better result when it is said to with probability p, and how
// large the gain is then: 10 functions x batches of 1, 4, 8, 16 and 64 x seeds, one study each.
//   build/release/outlook_calibration [SEEDS] [FIRST SEED] [METHOD]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "storage/memory/memory.hpp"
#include "vbo/report.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

using Input = std::vector<double>;  // in [0,1]^D

double bowl(const Input& u) {
  double sum = 0.0, weight = 1.0;
  for (const double x : u) {
    sum += weight * (x - 0.3) * (x - 0.3);
    weight *= 4.0;
  }
  return sum;
}
double camel(const Input& u) {
  const double x = 6.0 * u[0] - 3.0, y = 4.0 * u[1] - 2.0;
  return (4.0 - 2.1 * x * x + x * x * x * x / 3.0) * x * x + x * y + (4.0 * y * y - 4.0) * y * y;
}
double valley(const Input& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double a = 4.0 * u[i] - 2.0, b = 4.0 * u[i + 1] - 2.0;
    sum += 100.0 * (b - a * a) * (b - a * a) + (1.0 - a) * (1.0 - a);
  }
  return sum;
}
double ripples(const Input& u) {
  double sum = 0.0;
  for (const double x : u) {
    const double z = 6.0 * (x - 0.42);
    sum += z * z + 3.0 * (1.0 - std::cos(2.0 * std::numbers::pi * z));
  }
  return sum;
}
double waves(const Input& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += std::sin(7.0 * u[i] + static_cast<double>(i)) + 0.5 * u[i];
  }
  return sum;
}
double cone(const Input& u) {
  double sum = 0.0;
  for (const double x : u) sum += std::abs(x - 0.61);
  return sum;
}
double steps(const Input& u) {
  double sum = 0.0;
  for (const double x : u) sum += std::floor(12.0 * std::abs(x - 0.37));
  return sum;
}
double two_hills(const Input& u) {
  double near = 0.0, far = 0.0;
  for (const double x : u) {
    near += (x - 0.75) * (x - 0.75);
    far += (x - 0.2) * (x - 0.2);
  }
  return -std::exp(-6.0 * near) - 1.3 * std::exp(-40.0 * far);
}
double growth(const Input& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += std::exp(2.0 * std::abs(u[i] - 0.1 * static_cast<double>(i + 2)));
  }
  return sum;
}
double product(const Input& u) {
  double value = 1.0;
  for (const double x : u) value *= std::sin(std::numbers::pi * x) + 0.2 * std::cos(9.0 * x);
  return -value;
}

struct Function {
  const char* name;
  std::size_t dimension;
  double (*value)(const Input&);
};
constexpr Function kFunctions[] = {{"bowl", 6, bowl},     {"camel", 2, camel},
                                   {"valley", 4, valley}, {"ripples", 3, ripples},
                                   {"waves", 5, waves},   {"cone", 8, cone},
                                   {"steps", 5, steps},   {"two-hills", 3, two_hills},
                                   {"growth", 7, growth}, {"product", 4, product}};
struct Size {
  std::int64_t batch, evaluations;
};
constexpr Size kSizes[] = {{1, 60}, {4, 80}, {8, 128}, {16, 192}, {64, 960}};

struct Case {
  double said = 0.0, gain = 0.0;  // predicted
  double came = 0.0;              // 0: nothing better
};

void play(const Function& function, const Size& size, const std::string& method, std::uint64_t seed,
          std::vector<Case>& cases) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < function.dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  StudyOptions options;
  options.space = Space::make(std::move(parameters)).value();
  options.budget = size.evaluations;
  options.optimizer = {.method = method,
                       .seed = seed,
                       .batch = size.batch,
                       .budget = size.evaluations,
                       .threads = 1};
  auto storage = std::make_unique<MemoryStorage>();
  MemoryStorage& stored = *storage;
  Study study = Study::open(options, {std::move(storage), nullptr}).value();
  double best = 0.0;
  std::optional<Outlook> outlook;
  for (std::int64_t done = 0; done < size.evaluations; done += size.batch) {
    std::vector<Outcome> outcomes;
    double found = best;
    for (const Trial& trial : study.ask(size.batch).value()) {
      Input u;
      for (const Value& v : trial.point) u.push_back(std::get<double>(v));
      outcomes.push_back({.id = trial.id, .values = {function.value(u)}});
      if (trial.id == 1) found = outcomes.back().values[0];
      found = std::min(found, outcomes.back().values[0]);
    }
    if (outlook) cases.push_back({outlook->chance, outlook->gain, best - found});
    best = found;
    study.tell(std::move(outcomes)).value();
    outlook = make_report(stored).value().outlook;
  }
}

void print(const std::string& name, const std::vector<Case>& cases) {
  std::printf("\n%s: %zu cases\n\n| said | cases | mean said | observed |\n|---|---|---|---|\n",
              name.c_str(), cases.size());
  for (int tenth = 0; tenth < 10; ++tenth) {
    double said = 0.0;
    int count = 0, better = 0;
    for (const Case& c : cases) {
      if (static_cast<int>(10.0 * c.said) != tenth) continue;
      said += c.said;
      better += c.came > 0.0;
      ++count;
    }
    if (count == 0) continue;
    std::printf("| 0.%d to %.1f | %d | %.2f | %.2f |\n", tenth, 0.1 * (tenth + 1), count,
                said / count, static_cast<double>(better) / count);
  }
  std::vector<double> ratios;
  for (const Case& c : cases) {
    if (c.came > 0.0 && c.gain > 0.0) ratios.push_back(std::log10(c.came / c.gain));
  }
  if (ratios.empty()) return;
  std::ranges::sort(ratios);
  const auto within = [&](double factor) {
    const auto count =
        std::ranges::count_if(ratios, [&](double r) { return std::abs(r) <= std::log10(factor); });
    return 100.0 * static_cast<double>(count) / static_cast<double>(ratios.size());
  };
  std::printf(
      "gain over the predicted one: median %.2f; within a factor of 3 in %.0f%%, of 10 in "
      "%.0f%%\n",
      std::pow(10.0, ratios[ratios.size() / 2]), within(3.0), within(10.0));
}

}  // namespace
}  // namespace vbo

int main(int count, char** arguments) {
  using namespace vbo;
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 5;
  const int first = count > 2 ? std::atoi(arguments[2]) : 1;
  const std::string method = count > 3 ? arguments[3] : "auto";
  std::vector<Case> all;
  for (const Size& size : kSizes) {
    std::vector<Case> cases;
    for (const Function& function : kFunctions) {
      for (int seed = first; seed < first + seeds; ++seed) {
        play(function, size, method, static_cast<std::uint64_t>(seed), cases);
      }
    }
    print("batches of " + std::to_string(size.batch), cases);
    std::fflush(stdout);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  print("all", all);
  return 0;
}

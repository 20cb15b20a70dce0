// SPDX-License-Identifier: MIT
// The setting of limbo's published benchmark (its documentation, "Bayesian optimization
// benchmarks"): eight functions, 10 random points and 190 iterations, one at a time. Functions,
// ranges and scales are those of src/benchmarks/limbo/testfunctions.hpp in
// github.com/resibots/limbo at 5148d6e, where every input is mapped from [0,1]: Branin and
// Goldstein-Price are shifted and scaled, the latter after a logarithm, Rastrigin is on [-1,1]^4,
// the ellipsoid is distorted. Prints per function the median over seeds of the final error |f - f*|
// and of the seconds of the whole run, as JSON lines.
//   limbo_setting [SEEDS=5] [METHOD=gp-logei]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "tasks/task.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

using namespace vbo;

namespace {

using X = std::vector<double>;
constexpr double pi = 3.14159265358979323846;

struct Problem {
  const char* name;
  int dimensions;
  std::vector<std::pair<double, double>> bounds;  // one for all, or one per input
  double minimum;
  std::function<double(const X&)> f;  // minimized
};

double hartmann3(const X& x) {
  static const double alpha[4] = {1.0, 1.2, 3.0, 3.2};
  static const double A[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  static const double P[4][3] = {{0.3689, 0.1170, 0.2673},
                                 {0.4699, 0.4387, 0.7470},
                                 {0.1091, 0.8732, 0.5547},
                                 {0.0381, 0.5743, 0.8828}};
  double sum = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    double inner = 0.0;
    for (std::size_t j = 0; j < 3; ++j) inner += A[i][j] * std::pow(x[j] - P[i][j], 2.0);
    sum -= alpha[i] * std::exp(-inner);
  }
  return sum;
}

double hartmann6(const X& x) {
  static const auto task = tasks::make_task("hartmann6").value();
  return -*task->noiseless(Point(x.begin(), x.end()));
}

// Oscillations around the identity, of every size.
double distorted(double x) {
  if (x == 0.0) return 0.0;
  const double h = std::log(std::abs(x)), slow = x > 0 ? 10.0 : 5.5, fast = x > 0 ? 7.9 : 3.1;
  return std::copysign(std::exp(h + 0.049 * std::sin(slow * h) + std::sin(fast * h)), x);
}

std::vector<Problem> problems() {
  return {
      {"branin",
       2,
       {{-5, 10}, {0, 15}},
       (0.39788735772973816 - 54.81) / 51.95,
       [](const X& x) {
         const double t = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
         return (t * t + 10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) - 44.81) / 51.95;
       }},
      {"ellipsoid",
       2,
       {{0, 1}},
       2.0,
       [](const X& x) {
         return 2.0 + std::pow(distorted(x[0] - 0.5), 2.0) +
                10.0 * std::pow(distorted(x[1] - 0.5), 2.0);
       }},
      {"goldstein-price",
       2,
       {{-2, 2}},
       (std::log(3.0) - 8.693) / 2.427,
       [](const X& p) {
         const double x = p[0], y = p[1];
         const double a = 1 + std::pow(x + y + 1, 2) *
                                  (19 - 14 * x + 3 * x * x - 14 * y + 6 * x * y + 3 * y * y);
         const double b = 30 + std::pow(2 * x - 3 * y, 2) *
                                   (18 - 32 * x + 12 * x * x + 48 * y - 36 * x * y + 27 * y * y);
         return (std::log(a * b) - 8.693) / 2.427;
       }},
      {"hartmann3", 3, {{0, 1}}, -3.8627797869493365, hartmann3},
      {"hartmann6", 6, {{0, 1}}, -3.3223680114155147, hartmann6},
      {"rastrigin",
       4,
       {{-1, 1}},
       0.0,
       [](const X& x) {
         double sum = 10.0 * static_cast<double>(x.size());
         for (const double v : x) sum += v * v - 10 * std::cos(2 * pi * v);
         return sum;
       }},
      {"six-hump-camel",
       2,
       {{-3, 3}, {-2, 2}},
       -1.0316284534898774,
       [](const X& p) {
         const double x2 = p[0] * p[0], y2 = p[1] * p[1];
         return (4 - 2.1 * x2 + x2 * x2 / 3) * x2 + p[0] * p[1] + (4 * y2 - 4) * y2;
       }},
      {"sphere",
       2,
       {{0, 1}},
       0.0,
       [](const X& x) {
         double sum = 0.0;
         for (const double v : x) sum += std::pow(v - 0.5, 2.0);
         return sum;
       }},
  };
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::stoi(argv[1]) : 5;
  const std::string method = argc > 2 ? argv[2] : "gp-logei";
  for (const Problem& problem : problems()) {
    std::vector<Parameter> parameters;
    for (int k = 0; k < problem.dimensions; ++k) {
      const auto& bound =
          problem.bounds[problem.bounds.size() == 1 ? 0 : static_cast<std::size_t>(k)];
      parameters.push_back(Parameter::real("x" + std::to_string(k), bound.first, bound.second));
    }
    const Space space = Space::make(parameters).value();
    std::vector<double> errors, seconds;
    for (int seed = 1; seed <= seeds; ++seed) {
      OptimizerOptions options{
          .method = method, .seed = static_cast<std::uint64_t>(seed), .budget = 200};
      options.settings["initial"] = std::int64_t{10};
      auto optimizer = make_optimizer(space, options).value();
      double best = 1e300;
      const auto start = std::chrono::steady_clock::now();
      for (TrialId id = 1; id <= 200; ++id) {
        Trial trial;
        trial.id = id;
        trial.point = optimizer->ask(std::vector<TrialId>{id})[0].point;
        X x;
        for (const Value& v : trial.point) x.push_back(std::get<double>(v));
        const double value = problem.f(x);
        best = std::min(best, value);
        trial.state = TrialState::completed;
        trial.values = {-value};
        optimizer->tell(std::vector<Trial>{trial});
      }
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      errors.push_back(std::abs(best - problem.minimum));
    }
    const nlohmann::json line{{"function", problem.name}, {"dimensions", problem.dimensions},
                              {"method", method},         {"seeds", seeds},
                              {"error", median(errors)},  {"seconds", median(seconds)}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

// SPDX-License-Identifier: MIT
// Fits a Gaussian process from scratch on several functions and prints what it found and how long
// it took, one line each:  gp_fit [SIZES, e.g. 100,500] [SEEDS] [THREADS]
// Half of the points of "search" lie close to the optimum, as in a running study.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numbers>
#include <sstream>
#include <string>

#include "models/gp/gp.hpp"
#include "numerics/flops.hpp"
#include "tasks/task.hpp"

using namespace vbo;

namespace {

using Eigen::Index;

double hartmann6(ConstVectorRef x) {
  static const auto task = tasks::make_task("hartmann6").value();
  return *task->noiseless(Point(x.begin(), x.end()));
}

double branin(ConstVectorRef u) {
  constexpr double pi = std::numbers::pi;
  const double x = 15.0 * u[0] - 5.0, y = 15.0 * u[1];
  const double t = y - 5.1 / (4 * pi * pi) * x * x + 5.0 / pi * x - 6.0;
  return -(t * t + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * std::cos(x) + 10.0);
}

double ackley10(ConstVectorRef u) {
  const Vector x = (u.array() - 0.5) * 20.0;
  const double waves = (x.array() * 2.0 * std::numbers::pi).cos().mean();
  return 20.0 * std::exp(-0.2 * std::sqrt(x.squaredNorm() / 10.0)) + std::exp(waves);
}

struct Case {
  const char* name;
  Index D;
  double (*f)(ConstVectorRef);
  double noise;         // standard deviation
  double around = 0.0;  // > 0: half of the points within about this distance of the optimum
};

}  // namespace

int main(int argc, char** argv) {
  const std::string sizes = argc > 1 ? argv[1] : "100,500,1000,2000";
  const int seeds = argc > 2 ? std::stoi(argv[2]) : 3;
  const int threads = argc > 3 ? std::stoi(argv[3]) : 1;
  const Case cases[] = {{"hartmann6", 6, hartmann6, 0.0},
                        {"branin", 2, branin, 0.0},
                        {"ackley10", 10, ackley10, 0.0},
                        {"noisy", 6, hartmann6, 0.1},
                        {"search", 6, hartmann6, 0.0, 0.1}};
  std::printf(
      "data n kernel prior seed threads seconds cpu_seconds log_likelihood log_posterior "
      "iterations gflop\n");
  std::stringstream list(sizes);
  for (std::string item; std::getline(list, item, ',');) {
    const Index n = std::stol(item);
    for (const Case& c : cases) {
      for (const bool rbf : {true, false}) {
        for (int seed = 0; seed < seeds; ++seed) {
          Rng rng(static_cast<std::uint64_t>(seed), c.name);
          Vector optimum = Vector::Constant(c.D, 0.5);
          if (c.D == 6) optimum << 0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573;
          Matrix X(c.D, n);
          Vector y(n);
          for (Index i = 0; i < n; ++i) {
            for (double& x : X.col(i)) x = rng.uniform();
            if (c.around > 0.0 && i % 2 == 1) {
              for (Index k = 0; k < c.D; ++k) {
                X(k, i) = std::clamp(optimum[k] + c.around * rng.normal(), 0.0, 1.0);
              }
            }
            y[i] = c.f(X.col(i)) + c.noise * rng.normal();
          }
          GpOptions options = rbf ? GpOptions::botorch(c.D) : GpOptions::standard(c.D);
          options.kernel = rbf ? Shape::rbf : Shape::matern52;
          options.lengthscale_prior.b = std::sqrt(3.0);  // of Hvarfner et al. 2024, as in BoTorch
          options.scale_prior_to(c.D);
          options.threads = threads;
          GaussianProcess gp(options);
          const flops::Scope counted;
          const std::clock_t cpu_start = std::clock();
          const auto start = std::chrono::steady_clock::now();
          const FitReport report = gp.fit(X, y, Rng(0, "fit"));
          const double seconds =
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
          const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
          std::printf("%s %ld %s %s %d %d %.4f %.4f %.4f %.4f %d %.3f\n", c.name,
                      static_cast<long>(n), rbf ? "rbf" : "matern52", rbf ? "botorch" : "hvarfner",
                      seed, threads, seconds, cpu_seconds, gp.regression().log_likelihood(),
                      report.objective, report.iterations,
                      1e-9 * static_cast<double>(counted.count()));
          std::fflush(stdout);
        }
      }
    }
  }
  return 0;
}

// SPDX-License-Identifier: MIT
// What the flagship costs its user: a full round (tell 64, train, ask 64), one more suggestion
// between rounds, and memory, in 10 dimensions with 1,000 and with 100,000 results behind it.
// CPU seconds stand beside wall seconds because machines are shared.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace {

using vbo::Trial;
using vbo::TrialId;

constexpr int kDimension = 10;
constexpr std::size_t kBatch = 64;

double value_of(const vbo::Point& point) {
  double sum = 0.0;
  for (const vbo::Value& v : point) {
    const double x = std::get<double>(v) - 0.3;
    sum += x * x;
  }
  return -sum;
}

Trial finished(TrialId id, vbo::Point point) {
  Trial trial;
  trial.id = id;
  trial.value = value_of(point);
  trial.point = std::move(point);
  trial.state = vbo::TrialState::completed;
  return trial;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

struct Stopwatch {
  double wall = wall_seconds(), cpu = cpu_seconds();
};

void measure(int results, int threads, const std::string& effort) {
  std::vector<vbo::Parameter> parameters;
  for (int i = 0; i < kDimension; ++i) {
    parameters.push_back(vbo::Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  const vbo::Space space = vbo::Space::make(parameters).value();
  vbo::OptimizerOptions options{.method = "vbo", .seed = 1, .batch = kBatch, .threads = threads};
  options.settings["effort"] = effort;
  const auto optimizer = vbo::make_optimizer(space, options).value();

  vbo::Rng rng(1, "benchmark");
  std::vector<Trial> past;  // told in pieces, so that the memory measured is the optimizer's
  for (int i = 0; i < results; ++i) {
    vbo::Point point;
    for (int j = 0; j < kDimension; ++j) point.emplace_back(rng.uniform());
    past.push_back(finished(1'000'000 + i, std::move(point)));
    if (past.size() == 1'000 || i + 1 == results) {
      optimizer->tell(past);
      past.clear();
    }
  }

  TrialId next = 1;
  const auto ask = [&](std::size_t n) {
    std::vector<TrialId> ids(n);
    std::iota(ids.begin(), ids.end(), next);
    next += static_cast<TrialId>(n);
    std::vector<Trial> trials;
    const std::vector<vbo::Suggestion> made = optimizer->ask(ids);
    for (std::size_t i = 0; i < n; ++i) trials.push_back(finished(ids[i], made[i].point));
    return trials;
  };
  constexpr int rounds = 20;
  std::vector<Trial> batch = ask(kBatch);
  optimizer->tell(batch);  // warm-up: the first round allocates
  batch = ask(kBatch);
  const Stopwatch start;
  for (int i = 0; i < rounds; ++i) {
    optimizer->tell(batch);
    batch = ask(kBatch);
  }
  const Stopwatch middle;
  constexpr int singles = 200;
  for (int i = 0; i < singles; ++i) (void)ask(1);
  const Stopwatch end;

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%8d results  %d threads  effort %-8s round %6.1f ms wall %6.1f ms CPU   one more suggestion "
      "%5.3f ms wall %5.3f ms CPU   peak memory %4ld MB\n",
      results, threads, effort.c_str(), 1e3 * (middle.wall - start.wall) / rounds,
      1e3 * (middle.cpu - start.cpu) / rounds, 1e3 * (end.wall - middle.wall) / singles,
      1e3 * (end.cpu - middle.cpu) / singles, usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  for (const int results : {1'000, 10'000, 100'000}) measure(results, threads, "default");
  for (const char* effort : {"low", "high"}) measure(1'000, threads, effort);
}

// SPDX-License-Identifier: MIT
// What the flagship costs its user: a full round (tell 64, train, ask 64), one more suggestion
// between rounds, and memory, in 10 dimensions with 1,000 to 100,000 results behind it.
// Means over several studies.
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
  trial.values = {value_of(point)};
  trial.point = std::move(point);
  trial.state = vbo::TrialState::completed;
  return trial;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

struct Seconds {
  double wall = 0.0, cpu = 0.0;
};

template <class Work>
void add_time_of(Seconds& total, const Work& work) {
  const double wall = wall_seconds(), cpu = cpu_seconds();
  work();
  total.wall += wall_seconds() - wall;
  total.cpu += cpu_seconds() - cpu;
}

constexpr int kRounds = 20, kSingles = 200;
struct Costs {
  Seconds rounds, singles;
};

// Of one study, which differs from others in its seed: in how many rounds the process is fitted,
// and whether a new run begins, varies by seed.
void measure_study(int results, int threads, std::uint64_t seed, Costs& costs) {
  std::vector<vbo::Parameter> parameters;
  for (int i = 0; i < kDimension; ++i) {
    parameters.push_back(vbo::Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  }
  const vbo::Space space = vbo::Space::make(parameters).value();
  vbo::OptimizerOptions options{.method = "vbo", .seed = seed, .batch = kBatch, .threads = threads};
  const auto optimizer = vbo::make_optimizer(space, options).value();

  vbo::Rng rng(seed, "benchmark");
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
  std::vector<Trial> batch = ask(kBatch);
  optimizer->tell(batch);  // warm-up: the first round allocates
  batch = ask(kBatch);
  add_time_of(costs.rounds, [&] {
    for (int i = 0; i < kRounds; ++i) {
      optimizer->tell(batch);
      batch = ask(kBatch);
    }
  });
  add_time_of(costs.singles, [&] {
    for (int i = 0; i < kSingles; ++i) (void)ask(1);
  });
}

void measure(int results, int threads) {
  constexpr int studies = 4;
  Costs costs;
  for (int seed = 1; seed <= studies; ++seed) {
    measure_study(results, threads, static_cast<std::uint64_t>(seed), costs);
  }
  const auto each = [&](double seconds, int count) { return 1e3 * seconds / (studies * count); };
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%8d results  %d threads  round %6.1f ms wall %6.1f ms CPU   one more suggestion "
      "%5.3f ms wall %5.3f ms CPU   peak memory %4ld MB\n",
      results, threads, each(costs.rounds.wall, kRounds), each(costs.rounds.cpu, kRounds),
      each(costs.singles.wall, kSingles), each(costs.singles.cpu, kSingles),
      usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  for (const int results : {1'000, 10'000, 100'000}) measure(results, threads);
}

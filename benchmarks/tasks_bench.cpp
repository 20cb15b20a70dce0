// SPDX-License-Identifier: MIT
// Time of one evaluation of every task at a typical point. Lunar Lander flies its 50 episodes in
// one thread here; "threads" shows what more of them bring.
#include <benchmark/benchmark.h>

#include "tasks/brusselator.hpp"
#include "tasks/task.hpp"

namespace vbo::tasks {
namespace {

Point middle(const Space& space) {
  Point point;
  for (const Parameter& p : space.parameters()) {
    switch (p.kind) {
      case ParameterKind::real:
        point.emplace_back(0.5 * (p.low + p.high));
        break;
      case ParameterKind::integer:
        point.emplace_back(static_cast<std::int64_t>(0.5 * (p.low + p.high)));
        break;
      case ParameterKind::categorical:
      case ParameterKind::ordinal:
        point.emplace_back(p.choices[p.choices.size() / 2]);
        break;
    }
  }
  return point;
}

void evaluate(benchmark::State& state, const std::string& spec, const Point& given) {
  const auto task = make_task(spec).value();
  const Point point = given.empty() ? middle(task->space()) : given;
  std::uint64_t id = 0;
  for (auto _ : state) {
    Rng rng(1, "evaluation", ++id);
    benchmark::DoNotOptimize(task->evaluate(point, rng));
  }
}

// The two integrators side by side; both must give the same answer before they are timed.
void integrate(benchmark::State& state,
               void (*method)(const brusselator::Coefficients&, brusselator::State&, int)) {
  const brusselator::Coefficients c{2.0, 4.0, 0.1, 5.0};
  std::vector<double> z(brusselator::cells);
  Rng rng(1);
  for (double& value : z) value = rng.normal();
  const brusselator::State start = brusselator::initial_state(c, z);
  brusselator::State reference = start, check = start;
  brusselator::integrate_plain(c, reference, 100);
  method(c, check, 100);
  for (int i = 0; i < brusselator::cells; ++i) {
    if (std::abs(check.u[i] - reference.u[i]) > 1e-12) return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) {
    brusselator::State field = start;
    method(c, field, brusselator::steps);
    benchmark::DoNotOptimize(field.u.data());
  }
}

[[maybe_unused]] const bool registered = [] {
  const Point lander = {0.5, 1.0, 0.4, 0.55, 0.5, 1.0, 0.5, 0.5, 0.0, 0.5, 0.05, 0.05};
  for (const TaskInfo& info : all_tasks()) {
    if (!info.built) continue;
    const bool lunar = info.name == "lunar-lander";
    const std::string spec = lunar ? "lunar-lander?threads=1" : info.name;
    benchmark::RegisterBenchmark(("evaluate/" + spec).c_str(), [spec,
                                                                point = lunar ? lander : Point{}](
                                                                   benchmark::State& state) {
      evaluate(state, spec, point);
    })->Unit(info.cost == Cost::microseconds ? benchmark::kMicrosecond : benchmark::kMillisecond);
    if (!lunar) continue;
    benchmark::RegisterBenchmark(
        "evaluate/lunar-lander?threads=2",
        [lander](benchmark::State& state) { evaluate(state, "lunar-lander?threads=2", lander); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::RegisterBenchmark("evaluate/pest-control?fresh=1", [](benchmark::State& state) {
    evaluate(state, "pest-control?fresh=1", {});
  })->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("brusselator/integrate", [](benchmark::State& s) {
    integrate(s, brusselator::integrate);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("brusselator/integrate_plain", [](benchmark::State& s) {
    integrate(s, brusselator::integrate_plain);
  })->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace vbo::tasks

BENCHMARK_MAIN();

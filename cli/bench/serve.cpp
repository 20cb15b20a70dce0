// SPDX-License-Identifier: MIT
// vbo bench serve-task, vbo bench serve-method
#include "bench/serve.hpp"

#include <iostream>

#include "bench/job.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct ServeFlags {
  std::string task, method;
  std::uint64_t seed = 1;
  std::int64_t batch = 64, budget = 0;
  int threads = 1;
  bool describe = false;
};

int run_task(const ServeFlags& flags) {
  const auto task = tasks::make_task(flags.task);
  if (!task) return complain(task.error());
  if (flags.describe) {
    std::cout << describe(**task) << "\n";
  } else {
    serve_task(**task, flags.seed, std::cin, std::cout);
  }
  return 0;
}

int run_method(const ServeFlags& flags) {
  const auto task = tasks::make_task(flags.task);
  if (!task) return complain(task.error());
  const auto spec = parse_method(flags.method);
  if (!spec) return complain(spec.error());
  StudyOptions study;
  study.name = flags.method + " on " + flags.task;
  study.space = (*task)->space();
  study.objectives = {{.goal = (*task)->info().goal}};
  study.optimizer = {.method = spec->name,
                     .seed = flags.seed,
                     .batch = flags.batch,
                     .threads = flags.threads,
                     .settings = spec->settings};
  // Unlike other studies this one may not know its budget.
  StudyParts parts;
  parts.make_optimizer = [&](const Space& space, OptimizerOptions options) {
    options.budget = flags.budget;
    return make_optimizer(space, options);
  };
  auto served = open_metered(std::move(study), std::move(parts));
  if (!served) return complain(served.error());
  serve_method(*served, std::cin, std::cout);
  return 0;
}

}  // namespace

void add_bench_serve(CLI::App& bench, int& exit_code) {
  const auto flags = std::make_shared<ServeFlags>();
  CLI::App* task = bench.add_subcommand(
      "serve-task", "A task as an evaluator: JSON lines on standard input and output");
  task->add_option("task", flags->task, "e.g. hartmann6")->required();
  task->add_option("--seed", flags->seed, "Seed of the task's noise (default 1)");
  task->add_flag("--describe", flags->describe, "Print goal, parameters and optimum, and end");
  task->footer(
      "Reads {\"id\": 7, \"params\": {\"x1\": 0.5}}, writes {\"id\": 7, \"value\": 1.25}, in the "
      "task's own sign.\n"
      "Example:\n  echo '{\"id\": 1, \"params\": {\"x1\": 0, \"x2\": 0}}' | vbo bench serve-task "
      "branin\n");
  task->callback([flags, &exit_code] { exit_code = run_task(*flags); });

  CLI::App* method = bench.add_subcommand(
      "serve-method", "A method for a task's space: JSON lines on standard input and output");
  method->add_option("method", flags->method, "e.g. vbo or \"vbo?beta=0.5\"")->required();
  method->add_option("task", flags->task, "The task whose space is searched")->required();
  method->add_option("--seed", flags->seed, "Seed (default 1)");
  method->add_option("--batch", flags->batch, "Results to expect per round (default 64)")
      ->check(CLI::Range(1, 1000000));
  method->add_option("--budget", flags->budget, "Evaluations in all, 0 = unknown (default)");
  method->add_option("--threads", flags->threads, "Threads (default 1, 0 = all cores)");
  method->footer(
      "Reads {\"ask\": 64} and {\"tell\": [{\"id\": 1, \"value\": 1.25}, ...]}.\n"
      "Example:\n  echo '{\"ask\": 2}' | vbo bench serve-method sobol branin\n");
  method->callback([flags, &exit_code] { exit_code = run_method(*flags); });
}

}  // namespace vbo::cli

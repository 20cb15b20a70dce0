// SPDX-License-Identifier: MIT
#include "cli/evaluator.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "cli/console.hpp"
#include "exec/function_pool.hpp"
#include "tasks/task.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo::cli {
namespace {

// Each running evaluator takes a few file descriptors.
void allow_files(std::size_t workers) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 6 * workers + 256);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<std::unique_ptr<Executor>> make_executor(StudyFile& file, std::int64_t workers) {
  if (workers > 0 && file.evaluate) {
    file.evaluate->process.workers = static_cast<std::size_t>(workers);
  }
  const Result<EvaluateSettings> evaluate = require_evaluator(file);
  if (!evaluate) return evaluate.error();
  allow_files(evaluate->process.workers);
  return make_executor(file, *evaluate);
}

Result<StudyFile> read_study_file(const std::string& path) {
  auto file =
      load_study_file(path, {.find_task = [](const std::string& name) -> Result<TaskProblem> {
                        const auto task = tasks::make_task(name);
                        if (!task) return task.error();
                        return TaskProblem{(*task)->space(), (*task)->info().goal};
                      }});
  if (!file) return file;
  for (const std::string& note : renamed_options(file->study.optimizer.settings)) {
    print_err("note: " + path + ": " + note + "\n");
  }
  return file;
}

Result<std::unique_ptr<Executor>> make_executor(const StudyFile& file,
                                                const EvaluateSettings& settings) {
  if (settings.task.empty()) return make_process_executor(file.study.space, settings.process);
  Result<std::unique_ptr<tasks::Task>> made = tasks::make_task(settings.task);
  if (!made) return made.error();
  const std::shared_ptr<const tasks::Task> task = std::move(*made);
  const std::uint64_t seed = file.study.optimizer.seed;
  return make_outcome_pool(
      [task, seed](const Job& job) {
        Rng rng(seed, "task-evaluation", static_cast<std::uint64_t>(job.id));
        Outcome outcome = Outcome::of(task->evaluate(job.point, rng));
        if (!outcome.failure) outcome.metrics = task->metrics(job.point);
        return outcome;
      },
      settings.process.workers);
}

}  // namespace vbo::cli

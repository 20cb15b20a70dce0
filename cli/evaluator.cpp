// SPDX-License-Identifier: MIT
#include "cli/evaluator.hpp"
#include "cli/console.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "cli/console.hpp"
#include "exec/function_pool.hpp"
#include "tasks/task.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo::cli {
namespace {

// Open files: of one running evaluator, while one is being started, and of all else.
constexpr rlim_t kFilesPerEvaluator = 4, kFilesOfAStart = 16, kOtherFiles = 64;

// How many evaluators may run at the same time with the open files we may have, at most so many.
std::size_t affordable(std::size_t workers) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return workers;
  const rlim_t fixed = kOtherFiles + kFilesOfAStart;
  const rlim_t wanted =
      std::min<rlim_t>(limit.rlim_max, fixed + kFilesPerEvaluator * static_cast<rlim_t>(workers));
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return workers;
  }
  if (limit.rlim_cur <= fixed) return 0;
  return static_cast<std::size_t>(
      std::min<rlim_t>(workers, (limit.rlim_cur - fixed) / kFilesPerEvaluator));
}

rlim_t most_files() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

// Evaluators that cannot be started would be failures of good points: fewer run instead.
Result<void> fit_workers(ProcessOptions& process) {
  const std::size_t wanted = process.workers, possible = affordable(wanted);
  if (possible >= wanted) return {};
  const rlim_t needed =
      kOtherFiles + kFilesOfAStart + kFilesPerEvaluator * static_cast<rlim_t>(wanted);
  const std::string found = std::to_string(wanted) + " evaluations at a time need " +
                            std::to_string(needed) + " open files, and the limit is " +
                            std::to_string(most_files()) + " (ulimit -Hn)";
  if (possible == 0) return Error{ErrorKind::unsupported, found + "; raise the limit"};
  print_err("vbo: " + found + "; running " + std::to_string(possible) + "\n");
  process.workers = possible;
  return {};
}

}  // namespace

Result<std::unique_ptr<Executor>> make_executor(StudyFile& file, std::int64_t workers) {
  if (workers > 0 && file.evaluate) {
    file.evaluate->process.workers = static_cast<std::size_t>(workers);
  }
  const Result<EvaluateSettings> evaluate = require_evaluator(file);
  if (!evaluate) return evaluate.error();
  EvaluateSettings settings = *evaluate;
  if (settings.task.empty()) {
    if (const Result<void> fitted = fit_workers(settings.process); !fitted) return fitted.error();
  }
  return make_executor(file, settings);
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

// SPDX-License-Identifier: MIT
#include "cli/launch.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cluster/slurm.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

namespace fs = std::filesystem;

// A job that finds nothing to do for so long gives its allocation back: the study is in its last
// evaluations, or its coordinator is gone.
constexpr int kIdleSeconds = 300;

std::int64_t workers_of(const StudyFile& file, const LaunchOptions& options) {
  return options.workers > 0 ? options.workers
                             : static_cast<std::int64_t>(file.evaluate->process.workers);
}

// The commands of Slurm's jobs, in words that hold on every node: absolute paths.
SlurmOptions slurm_options(const StudyFile& file, const LaunchOptions& options,
                           const fs::path& program) {
  const fs::path path = fs::absolute(file.path);
  const std::int64_t workers = workers_of(file, options);
  return {.job_name = slurm_job_name(file.study.name, file.study.storage),
          .command = {program.string(), "work", path.string(), "--workers", std::to_string(workers),
                      "--grace", std::to_string(options.grace_seconds), "--idle",
                      std::to_string(kIdleSeconds), "--quiet"},
          .directory = path.parent_path().string(),
          .log_folder = (path.parent_path() / (path.stem().string() + ".slurm")).string(),
          .workers = workers,
          .options = file.cluster->options};
}

}  // namespace

Result<void> check_launch(const StudyFile& file, const LaunchOptions& options) {
  if (!file.cluster) {
    return Error{ErrorKind::invalid_input,
                 fmt::format("{}: cluster: missing, expected a [cluster] table for --on {}: "
                             "launcher = \"{}\", jobs, options",
                             file.path, options.launcher, options.launcher),
                 "cluster"};
  }
  if (!file.evaluate) {
    return Error{ErrorKind::invalid_input,
                 file.path + ": evaluate: missing, expected an [evaluate] table with a command",
                 "evaluate"};
  }
  if (file.study.storage.find("://") == std::string::npos) {
    return Error{ErrorKind::invalid_input,
                 fmt::format("{}: study.storage: found \"{}\", expected \"postgresql://...\": jobs "
                             "run on other machines, and an SQLite file works on one alone",
                             file.path, file.study.storage),
                 "study.storage"};
  }
  return {};
}

Result<std::unique_ptr<Launcher>> launch(const StudyFile& file, const LaunchOptions& options,
                                         Study& study, const Console& console) {
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  if (trouble) return Error{ErrorKind::io, "/proc/self/exe: " + trouble.message()};
  Result<std::unique_ptr<Storage>> reader = study.connect(Access::read);
  if (!reader) return reader.error();
  Launcher::Options launcher;
  launcher.fleet = {.jobs = file.cluster->jobs,
                    .slots_per_job = workers_of(file, options),
                    .most_failures = file.stop.failures_in_a_row};
  launcher.budget = file.study.budget;
  launcher.grace_seconds = static_cast<double>(options.grace_seconds);
  launcher.say = [quiet = console.quiet](const std::string& text) {
    if (!quiet) print_err("vbo: " + one_line(text) + "\n");
  };
  return std::make_unique<Launcher>(make_slurm(slurm_options(file, options, program)),
                                    std::move(*reader), std::move(launcher));
}

}  // namespace vbo::cli

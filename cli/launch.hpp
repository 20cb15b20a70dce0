// SPDX-License-Identifier: MIT
// `vbo run --on slurm`: the jobs of a study file's [cluster].
#pragma once

#include <memory>
#include <string>

#include "cli/console.hpp"
#include "cluster/launcher.hpp"
#include "vbo/study_file.hpp"

namespace vbo::cli {

struct LaunchOptions {
  std::string launcher;             // of --on
  std::int64_t workers = 0;         // evaluations of a job at a time; 0 = as the file says
  std::int64_t grace_seconds = 20;  // for what runs, after SIGTERM
};

// What is wrong with the file for that launcher, before anything is opened.
Result<void> check_launch(const StudyFile& file, const LaunchOptions& options);

// Jobs start from now on. REQUIRES: check_launch().
Result<std::unique_ptr<Launcher>> launch(const StudyFile& file, const LaunchOptions& options,
                                         Study& study, const Console& console);

}  // namespace vbo::cli

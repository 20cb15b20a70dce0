// SPDX-License-Identifier: MIT
// Makes what a study file's [evaluate] table asks for.
#pragma once

#include <memory>

#include "cli/study_file.hpp"
#include "vbo/executor.hpp"

namespace vbo::cli {

// A pool of processes, or of threads when the objective is a built-in task. The noise of a task
// depends on the study's seed and the trial's id only, so a resumed study sees the same.
Result<std::unique_ptr<Executor>> make_executor(const StudyFile& file,
                                                const EvaluateSettings& settings);

}  // namespace vbo::cli

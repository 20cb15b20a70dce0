// SPDX-License-Identifier: MIT
// Study files of this program, which has built-in tasks, and what their [evaluate] table asks for.
#pragma once

#include <memory>
#include <string>

#include "vbo/executor.hpp"
#include "vbo/study_file.hpp"

namespace vbo::cli {

// vbo::load_study_file, with the tasks of this program.
Result<StudyFile> read_study_file(const std::string& path);

// A pool of processes, or of threads when the objective is a built-in task. The noise of a task
// depends on the study's seed and the trial's id only, so a resumed study sees the same.
Result<std::unique_ptr<Executor>> make_executor(const StudyFile& file,
                                                const EvaluateSettings& settings);

// The evaluator of a study file that has to have one, made for as many evaluations at a time as
// `workers` says, or the file when that is below 1.
Result<std::unique_ptr<Executor>> make_executor(StudyFile& file, std::int64_t workers);

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
// The study file: what a person writes to say what is optimized, over which space, how and by which
// program. docs/reference/study-file.md describes every key. Reading is all or nothing: the first
// thing that is wrong is an Error whose message is one line, "file:line: field: found X, expected
// Y", with the field and the line beside it. A build without toml++ answers with
// ErrorKind::unsupported.
// Stability: a minor version of 0.x may change it.
// Threads: plain values; functions may run at the same time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/executor.hpp"
#include "vbo/study.hpp"

namespace vbo {

struct EvaluateSettings {
  std::string task;        // a built-in task; then process.command is empty
  ProcessOptions process;  // workers is meant for both
};

// For `vbo run --on LAUNCHER`: how a batch system is asked for workers.
struct ClusterSettings {
  std::string launcher;              // "slurm"
  std::int64_t jobs = 1;             // >= 1: so many at the same time
  std::vector<std::string> options;  // of the launcher's own submit command, each "--name=value"
};

struct StudyFile {
  std::string path;    // as given, for messages
  StudyOptions study;  // storage is relative to the file's folder, and resolved here
  std::optional<EvaluateSettings> evaluate;
  StopRule stop;
  std::optional<ClusterSettings> cluster;
};

// What a built-in task brings with it: `task = "branin"` instead of parameters and a command.
struct TaskProblem {
  Space space;
  Goal goal = Goal::minimize;
};

struct StudyFileOptions {
  // Null: this program has no built-in tasks, and a file that names one is an error.
  std::function<Result<TaskProblem>(const std::string& name)> find_task;
};

Result<StudyFile> load_study_file(const std::string& path, const StudyFileOptions& options = {});
// `path` need not exist; its folder is what paths in the text are relative to.
Result<StudyFile> parse_study_file(std::string_view text, const std::string& path,
                                   const StudyFileOptions& options = {});

// The evaluator of a study file that has to have one, with a program that can be found.
Result<EvaluateSettings> require_evaluator(const StudyFile& file);

// Creates or resumes the study of the file.
Result<Study> open_study(const StudyFile& file);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// The study file: what a person writes to say what is optimized, over which space, how and by which
// program. docs/study-file.md describes every key. Reading is all or nothing: the first thing that
// is wrong is an error of one line, "file:line: field: found X, expected Y".
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "exec/process_pool.hpp"
#include "vbo/error.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {

struct EvaluateSettings {
  std::string task;        // a built-in task; then process.command is empty
  ProcessOptions process;  // workers is meant for both
};

struct StopSettings {
  int failures_in_a_row = 20;  // >= 0; 0 = never pause
  double information = 0.0;    // nats per round; 0 = never stop
  int rounds = 5;              // >= 1: ... in so many rounds in a row
};

struct StudyFile {
  std::string path;    // as given, for messages
  StudyOptions study;  // storage is relative to the file's folder, and resolved here
  std::optional<EvaluateSettings> evaluate;
  StopSettings stop;
};

Result<StudyFile> load_study_file(const std::string& path);
Result<StudyFile> parse_study_file(std::string_view text, const std::string& path);

// The evaluator of a study file that has to have one, with a program that can be found.
Result<EvaluateSettings> require_evaluator(const StudyFile& file);

// Creates or resumes the study of the file.
Result<Study> open_study(const StudyFile& file);

// The closest candidate when it is close enough to be a typing error, as `, did you mean "x"?`;
// otherwise `, expected one of ...`.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace vbo::cli

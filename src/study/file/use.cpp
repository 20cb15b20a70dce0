// SPDX-License-Identifier: MIT
// From a study file that is right to a study and an evaluator that are there.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "exec/command_template.hpp"
#include "exec/program_files.hpp"
#include "study/impl.hpp"
#include "vbo/study_file.hpp"

namespace vbo {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code status;
  return fs::is_regular_file(path, status) && access(path.c_str(), X_OK) == 0;
}

bool can_be_found(const std::string& program, const fs::path& folder) {
  if (program.find('/') != std::string::npos) return is_executable(folder / program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string entry; std::getline(folders, entry, ':');) {
    if (is_executable(fs::path(entry.empty() ? "." : entry) / program)) return true;
  }
  return false;
}

// How to go on with the results of a stored study that cannot become the one of the file.
std::string how_to_keep_results(const StudyFile& file) {
  const Result<std::unique_ptr<Storage>> storage = open_storage(file.study.storage, Access::read);
  if (!storage) return "";
  const Result<std::optional<StudyRecord>> stored = (*storage)->load_study();
  if (!stored || !*stored) return "";
  const Difference found = difference(**stored, as_accepted(**stored, file.study));
  if (found.conflict.empty() || !found.importable) return "";
  return ". Another storage keeps the results: set study.storage to a new name, then import them: "
         "vbo import " +
         shell_quoted(file.path) + " " + shell_quoted(file.study.storage) +
         (found.outside ? " --actual --skip-bad" : "");
}

}  // namespace

Result<Study> open_study(const StudyFile& file) {
  const std::string& storage = file.study.storage;
  const fs::path folder = fs::path(storage).parent_path();
  std::error_code status;
  const bool is_url = storage.find("://") != std::string::npos;
  if (!is_url && !folder.empty() && !fs::is_directory(folder, status)) {
    return Error{ErrorKind::invalid_input,
                 file.path + ": study.storage: found " + "\"" + storage + "\"" +
                     ", expected a file in a folder that exists",
                 "study.storage"};
  }
  Result<Study> study = Study::open(file.study);
  if (study || study.error().kind != ErrorKind::conflict) return study;
  Error error = study.error();
  error.message += how_to_keep_results(file);
  return error;
}

Result<EvaluateSettings> require_evaluator(const StudyFile& file) {
  if (!file.evaluate) {
    return Error{ErrorKind::invalid_input,
                 file.path +
                     ": evaluate.command: missing, expected an [evaluate] table with the program "
                     "and its arguments, e.g. command = [\"python3\", \"f.py\", \"{x}\"]",
                 "evaluate.command"};
  }
  const ProcessOptions& process = file.evaluate->process;
  // A placeholder can name the program; then only running it tells.
  const bool fixed = !process.command.empty() &&
                     process.command.front().find('{') == std::string::npos &&
                     !exec::is_templated_program(process);
  if (fixed && !can_be_found(process.command.front(), process.directory)) {
    return Error{ErrorKind::invalid_input,
                 file.path + ": evaluate.command: found the program \"" + process.command.front() +
                     "\", which is not an executable file" +
                     (process.command.front().find('/') == std::string::npos
                          ? " in PATH (write ./" + process.command.front() +
                                " for one beside the study file)"
                          : " (paths are relative to the folder of the study file)"),
                 "evaluate.command"};
  }
  return *file.evaluate;
}

}  // namespace vbo

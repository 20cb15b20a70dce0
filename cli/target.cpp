// SPDX-License-Identifier: MIT
#include "cli/target.hpp"

#include <filesystem>

#include "cli/evaluator.hpp"
#include "cli/file_kind.hpp"
#include "exec/command_template.hpp"

namespace vbo::cli {
namespace {

namespace fs = std::filesystem;

bool is_missing_file(const std::string& url) {
  std::error_code status;
  return url.find("://") == std::string::npos && !fs::exists(url, status);
}

Error no_study(const std::string& argument, const std::string& url) {
  if (is_study_file(argument)) {
    // Without a program there is nothing to run.
    const Result<StudyFile> file = read_study_file(argument);
    const bool runs = !file || file->evaluate;
    const std::string name = shell_quoted(argument);
    return {ErrorKind::not_found,
            "the study of " + argument + " has not been started: there is no " + url +
                ". Start it with: vbo " + (runs ? "run " + name : "ask " + name) +
                (runs ? "" : ", or over HTTP: vbo serve " + name + " --allow-tell")};
  }
  return {ErrorKind::not_found, url +
                                    ": no such file, expected the storage of a study (its .db "
                                    "file) or its study file (.toml)"};
}

Result<std::string> url_of(const std::string& argument) {
  if (!is_study_file(argument)) return argument;
  Result<StudyFile> file = read_study_file(argument);
  if (!file) return file.error();
  return file->study.storage;
}

Result<OpenedStudy> open_existing(const std::string& argument, Access access, double wait_seconds) {
  const Result<std::string> url = url_of(argument);
  if (!url) return url.error();
  if (is_missing_file(*url)) return no_study(argument, *url);
  Result<std::unique_ptr<Storage>> storage = open_storage(*url, access, wait_seconds);
  if (!storage) return storage.error();
  Result<std::optional<StudyRecord>> record = (*storage)->load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, *url + ": holds no study yet"};
  return OpenedStudy{*url, std::move(*storage), std::move(**record)};
}

}  // namespace

Result<OpenedStudy> open_to_read(const std::string& argument) {
  return open_existing(argument, Access::read, kWaitSeconds);
}

Result<OpenedStudy> open_queue(const std::string& argument, double wait_seconds) {
  return open_existing(argument, Access::queue, wait_seconds);
}

Result<Study> open_to_write(const std::string& argument, int threads) {
  if (is_study_file(argument)) {
    Result<StudyFile> file = read_study_file(argument);
    if (!file) return file.error();
    file->study.optimizer.threads = threads;
    return open_study(*file);
  }
  if (is_missing_file(argument)) return no_study(argument, argument);
  return Study::open_existing(argument, threads);
}

}  // namespace vbo::cli

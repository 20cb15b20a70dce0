// SPDX-License-Identifier: MIT
// The folders of trials: made with their input files before the program starts, removed or kept
// when it has ended. While a trial is being evaluated its folder has a name that no other process
// gives, so that nobody who evaluates the same trial again gets into the way; what is kept gets its
// name, trial-ID, in one step. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "exec/extractor.hpp"
#include "exec/text_template.hpp"
#include "vbo/executor.hpp"

namespace vbo::exec {

// The folder of one evaluation, removed with it unless it is kept.
class TrialFolder {
 public:
  TrialFolder() = default;
  // `path` while it runs, `kept` afterwards.
  TrialFolder(std::string path, std::string kept, Keep keep);
  TrialFolder(TrialFolder&& other) noexcept;
  TrialFolder& operator=(TrialFolder&& other) noexcept;
  ~TrialFolder();

  const std::string& path() const { return path_; }
  // Ends its use: what was printed is written beside what the program has written where the folder
  // stays. Its path then, or "".
  std::string end(bool failed, std::string_view output, std::string_view errors);

 private:
  void remove() noexcept;

  std::string path_;  // "": none
  std::string kept_;
  Keep keep_ = Keep::failed;
};

// The folder in which the study file lies, as an absolute path.
std::string study_dir_of(const ProcessOptions& options);

// What the evaluations of one pool share. Removes what killed processes of this machine have left,
// and at its end the folder of all, when it is empty.
class TrialFiles {
 public:
  TrialFiles() = default;
  // Reads the templates. The error names the file, and its line where a placeholder is wrong.
  // REQUIRES: options without a FileFlaw.
  static Result<TrialFiles> make(const ProcessOptions& options, const Space& space);
  TrialFiles(TrialFiles&& other) noexcept { swap(other); }
  TrialFiles& operator=(TrialFiles&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TrialFiles();

  bool has_folders() const { return !folder_.empty(); }
  const std::string& study_dir() const { return study_dir_; }
  const Extractor& extractor() const { return extractor_; }
  // By their index in the space, those that stand in a template.
  std::vector<std::size_t> parameters() const;
  // An error when a file cannot be written now.
  Result<TrialFolder> begin(const Job& job) const;

 private:
  struct Input {
    TextTemplate text;
    std::string to;
    mode_t mode = 0644;
  };
  void swap(TrialFiles& other) noexcept;

  std::vector<Input> inputs_;
  Extractor extractor_;
  std::string study_dir_, folder_;  // absolute; folder_: "" = none
  Keep keep_ = Keep::failed;
};

}  // namespace vbo::exec

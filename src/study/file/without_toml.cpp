// SPDX-License-Identifier: MIT
// What a build without toml++ says about study files.
#include "vbo/study_file.hpp"

namespace vbo {
namespace {

Error no_study_files(const std::string& path) {
  return {
      ErrorKind::unsupported,
      path + ": this build of vbo cannot read study files: toml++ was not there when it was built"};
}

}  // namespace

Result<StudyFile> parse_study_file(std::string_view, const std::string& path,
                                   const StudyFileOptions&) {
  return no_study_files(path);
}

Result<StudyFile> load_study_file(const std::string& path, const StudyFileOptions&) {
  return no_study_files(path);
}

}  // namespace vbo

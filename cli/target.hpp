// SPDX-License-Identifier: MIT
// The STUDY argument of most commands: a storage (file or URL), or the study file that names it.
#pragma once

#include <memory>
#include <string>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {

bool is_study_file(const std::string& argument);  // by its name: *.toml

struct OpenedStudy {
  std::string url;
  std::unique_ptr<Storage> storage;
  StudyRecord record;
};

// For commands that only look. Works while another process writes.
Result<OpenedStudy> open_to_read(const std::string& argument);

// For commands that change something. A study file creates the study when it is not there yet.
Result<Study> open_to_write(const std::string& argument, int threads = 0);

}  // namespace vbo::cli

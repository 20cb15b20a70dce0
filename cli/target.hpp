// SPDX-License-Identifier: MIT
// The STUDY argument of most commands: a storage (file or URL), or the study file that names it.
#pragma once

#include <memory>
#include <string>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {

inline constexpr double kWaitSeconds = 30.0;  // default of --wait
inline constexpr double kLongestWait = 86400.0;

struct OpenedStudy {
  std::string url;
  std::unique_ptr<Storage> storage;
  StudyRecord record;
};

// For commands that only look. Works while another process writes.
Result<OpenedStudy> open_to_read(const std::string& argument);

// For commands that store results or work: any number at a time, also while a study runs.
Result<OpenedStudy> open_queue(const std::string& argument, double wait_seconds);

// For commands that ask the method: one at a time. A study file creates the study when it is not
// there yet.
Result<Study> open_to_write(const std::string& argument, int threads = 0);

}  // namespace vbo::cli

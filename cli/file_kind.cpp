// SPDX-License-Identifier: MIT
#include "cli/file_kind.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace vbo::cli {

bool is_sqlite_file(const std::string& path) {
  // What is read of a pipe is gone for whoever reads it next.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  constexpr std::string_view kStart = "SQLite format 3";
  std::string start(kStart.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), std::ssize(start));
  return start == kStart;
}

bool is_study_file(const std::string& argument) { return argument.ends_with(".toml"); }

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "cli/file_kind.hpp"

#include <fstream>
#include <string_view>

namespace vbo::cli {

bool is_sqlite_file(const std::string& path) {
  constexpr std::string_view kStart = "SQLite format 3";
  std::string start(kStart.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), std::ssize(start));
  return start == kStart;
}

bool is_study_file(const std::string& argument) { return argument.ends_with(".toml"); }

}  // namespace vbo::cli

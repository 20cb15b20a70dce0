// SPDX-License-Identifier: MIT
// What an argument that may name different kinds of files is.
#pragma once

#include <string>

namespace vbo::cli {

bool is_study_file(const std::string& argument);  // by its name: *.toml
bool is_sqlite_file(const std::string& path);     // by its first bytes

}  // namespace vbo::cli

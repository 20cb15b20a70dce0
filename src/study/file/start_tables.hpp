// SPDX-License-Identifier: MIT
#pragma once

#include "study/file/toml_reader.hpp"
#include "vbo/study_file.hpp"

namespace vbo {

// [[start]]: one table per point, with some or all parameters. REQUIRES: file.study.space.
void read_start(const toml::table& root, StudyFile& file, TomlErrors& errors);

}  // namespace vbo

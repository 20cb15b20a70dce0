// SPDX-License-Identifier: MIT
#pragma once

#include "study/file/toml_reader.hpp"
#include "vbo/study_file.hpp"

namespace vbo {

// [[objective]]: one table per objective, two or more, instead of study.goal. REQUIRES:
// file.study.space, and [stop] has been read.
void read_objectives(const toml::table& root, StudyFile& file, TomlErrors& errors);

}  // namespace vbo

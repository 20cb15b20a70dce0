// SPDX-License-Identifier: MIT
#pragma once

#include "study/file/toml_reader.hpp"
#include "vbo/study_file.hpp"

namespace vbo::study {

// [[template]] and [[extract]] with the keys of [evaluate] that belong to them. REQUIRES:
// [evaluate] and [[objective]] have been read.
void read_program_tables(const toml::table& root, StudyFile& file, TomlErrors& errors);

}  // namespace vbo::study

// SPDX-License-Identifier: MIT
// [[constraint]] of a study file: known ones ("require") and measured ones ("metric").
#pragma once

#include <vector>

#include "study/file/toml_reader.hpp"
#include "vbo/study_file.hpp"

namespace vbo {

// The space of the file: these parameters with the constraints of the file. `limits` are those the
// problem brings with it; the file's come behind them. Errors stand at the constraint they
// name.
void make_space(const toml::table& root, std::vector<Parameter> parameters,
                std::vector<Limit> limits, StudyFile& file, TomlErrors& errors);

}  // namespace vbo

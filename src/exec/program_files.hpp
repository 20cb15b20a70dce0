// SPDX-License-Identifier: MIT
// What is wrong with ProgramFiles before any file is looked at, for a message that names the key in
// its own way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "vbo/executor.hpp"

namespace vbo::exec {

struct FileFlaw {
  std::string table;      // as in a study file: "template", "extract" or "evaluate"
  std::size_t index = 0;  // of the table, from 0
  std::string key;
  std::string problem;  // what follows its name in a sentence
};

// The first one.
std::optional<FileFlaw> file_flaw_of(const ProcessOptions& options);

// The name of the objective by which an extraction gives its value, and which one it is.
std::optional<std::size_t> objective_named(const std::string& name, const ProcessOptions& options);

// Whether the program itself is written by a template, and so lies in the trial's folder.
bool is_templated_program(const ProcessOptions& options);

}  // namespace vbo::exec

// SPDX-License-Identifier: MIT
// What is wrong with options of processes, for a message that names the option in its own way.
#pragma once

#include <optional>
#include <string>

#include "vbo/executor.hpp"

namespace vbo {

struct OptionFlaw {
  std::string option;   // as in a study file
  std::string problem;  // what follows its name in a sentence
};

// The first one.
std::optional<OptionFlaw> flaw_of(const ProcessOptions& options);

}  // namespace vbo

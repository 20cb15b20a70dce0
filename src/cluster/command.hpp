// SPDX-License-Identifier: MIT
// Runs one short command to its end, without a shell, and gives back what it wrote.
#pragma once

#include <string>
#include <vector>

#include "vbo/error.hpp"

namespace vbo {

struct CommandEnd {
  bool succeeded = false;
  std::string out, err;
};

// Error kinds: not_found when there is no such program, io when it takes too long.
Result<CommandEnd> run_command(const std::vector<std::string>& arguments, double timeout_seconds);

// Text that a POSIX shell reads as this one word.
std::string shell_word(const std::string& text);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What a program has left in a file, of bounded size.
#pragma once

#include <string>

#include "vbo/error.hpp"

namespace vbo::exec {

struct OutputText {
  std::string name;  // for messages
  std::string text;
  bool cut = false;  // only its end
};

// The end of the file, at most kLargestOutput bytes. The error names the files that are there, or
// why this one is not read: no plain file, or a link that leads out of the folder.
Result<OutputText> read_output(const std::string& folder, const std::string& file);

}  // namespace vbo::exec

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string_view>

namespace vbo::tasks {

// VBO_LONG_TESTS=1 runs the statistical tests at full length (minutes instead of seconds).
inline bool long_tests() {
  const char* const text = std::getenv("VBO_LONG_TESTS");
  return text && std::string_view(text) == "1";
}

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// What the exit codes mean, for docs/reference/command-line.md and the manual page.
#pragma once

#include <array>
#include <string_view>

namespace vbo::cli {

struct ExitCodeInfo {
  int code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCodeInfo, 6> kExitCodes{{
    {0, "done"},
    {1,
     "failed: the evaluation of `vbo check`, or a study paused after failures that has a success"},
    {2, "wrong usage or study file; nothing was written"},
    {3,
     "no successful or no feasible evaluation, also of a study that was paused; nothing left to "
     "suggest"},
    {5, "storage busy, damaged or not writable"},
    {130, "interrupted"},
}};

}  // namespace vbo::cli

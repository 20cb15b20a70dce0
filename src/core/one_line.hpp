// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace vbo {

// A message fit to be shown: one line whatever is in it. Line breaks become blanks, other control
// characters and bytes that are not UTF-8 are written as \xNN, a word longer than 200 bytes keeps
// its beginning and its end, and so does a message longer than 4000.
std::string one_line(std::string_view text);

// The last line that is not blank, as it is.
std::string last_line(std::string_view text);

}  // namespace vbo

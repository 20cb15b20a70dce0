// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace vbo {

// Number of single-character edits between two words; for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace vbo

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vbo {

// Number of single-character edits between two words; for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest candidate when it is close enough to be a typing error, as `, did you mean "x"?`;
// otherwise `, expected one of ...`.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Looks at TOML text before the parser does, which recurses for every level of nesting and every
// part of a dotted key, and is not ready for keys in other alphabets. Refuses only what no study
// file needs; whether the rest is valid TOML is the parser's business.
#pragma once

#include <string_view>

#include "vbo/error.hpp"

namespace vbo {

// The error has the line; its message does not.
Result<void> guard_toml(std::string_view text);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// A parameter's value as a person types it: on the command line, in a cell of a CSV file.
#pragma once

#include <string_view>

#include "vbo/space.hpp"

namespace vbo {

// The error says what was found and which values the parameter has.
Result<Value> value_from_text(const Parameter& parameter, std::string_view text);

}  // namespace vbo

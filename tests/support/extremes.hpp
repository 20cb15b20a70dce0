// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

namespace vbo {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace vbo

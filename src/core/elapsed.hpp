// SPDX-License-Identifier: MIT
// Seconds since a moment of the monotonic clock.
#pragma once

#include <chrono>

namespace vbo {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// std::from_chars for numbers of all kinds: the standard libraries of some systems (LLVM's before
// 20, and with it macOS) have it for integers alone. Thread-safe.
#pragma once

#include <charconv>
#include <concepts>

namespace vbo {

template <std::integral T>
std::from_chars_result from_chars(const char* first, const char* last, T& value) {
  return std::from_chars(first, last, value);
}

// In the general format, whatever the locale.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

// The same without the help of std::from_chars; 10 times slower.
std::from_chars_result from_chars_by_stream(const char* first, const char* last, double& value);

}  // namespace vbo

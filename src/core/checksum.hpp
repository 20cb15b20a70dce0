// SPDX-License-Identifier: MIT
// A 64-bit checksum (FNV-1a) that tells stored bytes from damaged ones: every change of one byte
// changes it. No protection against intent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vbo {

constexpr std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

// The bytes with their checksum behind them, the lowest byte first.
std::string sealed(std::string bytes);
// What was sealed, or nothing when it is not whole.
std::optional<std::string_view> unsealed(std::string_view bytes);

}  // namespace vbo

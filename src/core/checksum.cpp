// SPDX-License-Identifier: MIT
#include "core/checksum.hpp"

namespace vbo {
namespace {

constexpr std::size_t kLength = sizeof(std::uint64_t);

std::string tail_of(std::string_view bytes) {
  std::string tail;
  std::uint64_t sum = checksum(bytes);
  for (std::size_t i = 0; i < kLength; ++i, sum >>= 8) tail += static_cast<char>(sum & 0xff);
  return tail;
}

}  // namespace

std::string sealed(std::string bytes) {
  bytes += tail_of(bytes);
  return bytes;
}

std::optional<std::string_view> unsealed(std::string_view bytes) {
  if (bytes.size() < kLength) return std::nullopt;
  const std::string_view inner = bytes.substr(0, bytes.size() - kLength);
  if (bytes.substr(inner.size()) != tail_of(inner)) return std::nullopt;
  return inner;
}

}  // namespace vbo

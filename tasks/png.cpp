// SPDX-License-Identifier: MIT
#include "tasks/png.hpp"

#include <algorithm>
#include <array>

namespace vbo::tasks {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      t[n] = n;
      for (int k = 0; k < 8; ++k) t[n] = t[n] & 1 ? 0xedb88320U ^ (t[n] >> 1) : t[n] >> 1;
    }
    return t;
  }();
  std::uint32_t c = ~0U;
  for (const char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 0xff] ^ (c >> 8);
  return ~c;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void append_chunk(std::string& out, std::string_view kind, std::string_view data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string checked = std::string(kind) + std::string(data);
  out += checked;
  append_big_endian(out, crc32(checked));
}

// zlib stream of stored blocks.
std::string stored(std::string_view bytes) {
  std::string out = "\x78\x01";
  const std::string_view all = bytes;
  do {
    const std::string_view block = bytes.substr(0, 65535);
    bytes.remove_prefix(block.size());
    const auto size = static_cast<std::uint32_t>(block.size());
    out += static_cast<char>(bytes.empty() ? 1 : 0);
    for (const std::uint32_t word : {size, ~size}) {
      out += static_cast<char>(word);
      out += static_cast<char>(word >> 8);
    }
    out += block;
  } while (!bytes.empty());
  append_big_endian(out, adler32(all));
  return out;
}

}  // namespace

std::string png_indexed(int columns, int rows, std::span<const std::uint8_t> indices,
                        std::span<const std::uint32_t> palette) {
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(columns));
  append_big_endian(header, static_cast<std::uint32_t>(rows));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette, no interlace
  std::string colours;
  for (const std::uint32_t colour : palette) {
    for (int shift = 16; shift >= 0; shift -= 8) colours += static_cast<char>(colour >> shift);
  }
  std::string pixels;
  for (int row = 0; row < rows; ++row) {
    pixels += '\0';  // no filter
    const auto width = static_cast<std::size_t>(columns);
    const auto line = indices.subspan(static_cast<std::size_t>(row) * width, width);
    pixels.append(line.begin(), line.end());
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "PLTE", colours);
  append_chunk(out, "IDAT", stored(pixels));
  append_chunk(out, "IEND", "");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k < bytes.size() + 1 ? letters[word >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace vbo::tasks

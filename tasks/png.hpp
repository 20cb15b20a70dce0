// SPDX-License-Identifier: MIT
// Small indexed PNG images without a library: pixels are stored, not compressed, which for the
// 64 x 64 pictures here costs a few kilobytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vbo::tasks {

// REQUIRES: indices.size() == columns * rows, palette.size() <= 256; palette entries 0xRRGGBB.
std::string png_indexed(int columns, int rows, std::span<const std::uint8_t> indices,
                        std::span<const std::uint32_t> palette);

std::string base64(std::string_view bytes);

}  // namespace vbo::tasks

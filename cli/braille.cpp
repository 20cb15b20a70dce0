// SPDX-License-Identifier: MIT
#include "cli/braille.hpp"

#include <algorithm>
#include <cmath>

namespace vbo::cli {
namespace {

// UTF-8 of a code point between U+0800 and U+FFFF.
std::string utf8(unsigned code) {
  return {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

// Dots of a braille character, by column and row from the top (Unicode, block U+2800).
constexpr unsigned char kDots[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

}  // namespace

BrailleCanvas::BrailleCanvas(int columns, int rows)
    : columns_(columns),
      rows_(rows),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0) {}

void BrailleCanvas::dot(double x, double y) {
  const int width = 2 * columns_, height = 4 * rows_;
  const int across = std::clamp(static_cast<int>(std::floor(x * width)), 0, width - 1);
  const int down = height - 1 - std::clamp(static_cast<int>(std::floor(y * height)), 0, height - 1);
  const auto cell_row = static_cast<std::size_t>(down / 4),
             cell = static_cast<std::size_t>(across / 2);
  cells_[cell_row * static_cast<std::size_t>(columns_) + cell] |= kDots[across % 2][down % 4];
}

void BrailleCanvas::line(double x1, double y1, double x2, double y2) {
  const int steps = std::max(
      1, static_cast<int>(
             std::ceil(std::max(std::abs(x2 - x1) * 2 * columns_, std::abs(y2 - y1) * 4 * rows_))));
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    dot(x1 + t * (x2 - x1), y1 + t * (y2 - y1));
  }
}

std::string BrailleCanvas::row(int index) const {
  std::string text;
  const auto columns = static_cast<std::size_t>(columns_);
  for (std::size_t c = 0; c < columns; ++c) {
    const unsigned char cell = cells_[static_cast<std::size_t>(index) * columns + c];
    text += cell == 0 ? std::string(" ") : utf8(0x2800U + cell);
  }
  return text;
}

std::string block_bar(double share, int width) {
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += utf8(0x2588);
  int columns = eighths / 8;
  if (eighths % 8 > 0) {
    text += utf8(0x2590U - static_cast<unsigned>(eighths % 8));
    ++columns;
  }
  return text + std::string(static_cast<std::size_t>(width - columns), ' ');
}

}  // namespace vbo::cli

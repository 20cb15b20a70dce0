// SPDX-License-Identifier: MIT
#include "bench/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vbo::bench {
namespace {

// Columns on screen: UTF-8 continuation bytes take none.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool numeric(const std::string& cell) {
  return cell.empty() || (cell.find_first_not_of("0123456789+-.eE, *") == std::string::npos);
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value == 0.0 ? 0.0 : value);
  return text;
}

std::string TextTable::markdown() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 3);
  std::vector<bool> right(columns, true);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width_of(rows_[i][c]));
      if (i > 0 && !numeric(rows_[i][c])) right[c] = false;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width_of(rows_[i][c]), ' ');
      text += "| " + (right[c] ? padding + rows_[i][c] : rows_[i][c] + padding) + " ";
    }
    text += "|\n";
    if (i > 0) continue;
    for (std::size_t c = 0; c < columns; ++c) {
      text += "|" + std::string(widths[c] + 1, '-') + (right[c] ? ":" : "-");
    }
    text += "|\n";
  }
  return text;
}

}  // namespace vbo::bench

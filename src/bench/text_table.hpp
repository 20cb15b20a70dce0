// SPDX-License-Identifier: MIT
// Markdown tables whose columns also line up in a terminal.
#pragma once

#include <string>
#include <vector>

namespace vbo::bench {

// Shortest of fixed and exponent form with so many significant digits; "-" when missing.
std::string number_text(double value, int digits = 5);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string markdown() const;  // numbers to the right, text to the left

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace vbo::bench

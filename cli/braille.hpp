// SPDX-License-Identifier: MIT
// Small pictures out of characters: a braille character holds 2 x 4 dots, a block an eighth of a
// column.
#pragma once

#include <string>
#include <vector>

namespace vbo::cli {

class BrailleCanvas {
 public:
  BrailleCanvas(int columns, int rows);
  // Coordinates in [0, 1], (0, 0) at the lower left; what lies outside is moved to the edge.
  void dot(double x, double y);
  void line(double x1, double y1, double x2, double y2);
  std::string row(int index) const;  // from the top

 private:
  int columns_, rows_;
  std::vector<unsigned char> cells_;  // one byte of dots per character
};

// A bar of share * width columns, padded with spaces to the width.
std::string block_bar(double share, int width);

}  // namespace vbo::cli

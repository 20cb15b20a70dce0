// SPDX-License-Identifier: MIT
#include "cli/braille.hpp"

#include <gtest/gtest.h>

namespace vbo::cli {
namespace {

TEST(Braille, DotsAreWhereTheyBelong) {
  BrailleCanvas canvas(2, 1);
  EXPECT_EQ(canvas.row(0), "  ");
  canvas.dot(0.0, 0.0);  // lower left: dot 7
  canvas.dot(1.0, 1.0);  // upper right: dot 4
  EXPECT_EQ(canvas.row(0), "\u2840\u2808");
  canvas.dot(-5.0, 7.0);  // outside: moved to the upper left, dot 1
  EXPECT_EQ(canvas.row(0), "\u2841\u2808");
}

TEST(Braille, LinesHaveNoGaps) {
  BrailleCanvas canvas(3, 2);
  canvas.line(0.0, 0.0, 1.0, 0.0);
  EXPECT_EQ(canvas.row(0), "   ");
  EXPECT_EQ(canvas.row(1), "\u28c0\u28c0\u28c0");
}

TEST(Braille, Bars) {
  EXPECT_EQ(block_bar(0.0, 3), "   ");
  EXPECT_EQ(block_bar(1.0, 2), "\u2588\u2588");
  EXPECT_EQ(block_bar(0.5, 3), "\u2588\u258c ");
  EXPECT_EQ(block_bar(7.0, 1), "\u2588");
}

}  // namespace
}  // namespace vbo::cli

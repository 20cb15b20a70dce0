// SPDX-License-Identifier: MIT
// Line charts as SVG text: panels with axes, curves with bands, one legend. Colours come from a
// palette that colour-blind readers can tell apart (Okabe and Ito 2008); members of a family share
// a colour and differ in their dashes.
#pragma once

#include <string>
#include <vector>

namespace vbo::bench {

struct Style {
  std::string colour = "#000000";
  std::string dash;      // SVG stroke-dasharray; empty = solid
  double width = 1.6;    // of the line, in pixels
  bool leading = false;  // on top of all others, its band stronger, bold in the legend
};

// The same method looks the same in every figure.
Style style_of(const std::string& method);

struct Series {
  std::string label;
  Style style;
  std::vector<double> x, y;
  std::vector<double> low, high;  // the band; empty = none
  bool markers = false;           // a dot at each point
};

struct Axis {
  std::string label;
  bool log = false;
  // The range; taken from the data where low >= high.
  double low = 0.0, high = 0.0;
  std::vector<double> marks = {};  // where numbers stand; empty = at round ones
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

struct Figure {
  std::string title;
  std::vector<Panel> panels;
  std::vector<std::string> legend;  // labels in the order to show; empty = as in the first panel
  int columns = 1;
};

// A complete SVG document. Points that are missing, or not positive on a logarithmic axis, are
// left out.
std::string to_svg(const Figure& figure);

// Round numbers that cover [low, high]: about `count` of them, or decades on a logarithmic axis.
std::vector<double> ticks(double low, double high, bool log, int count = 5);

}  // namespace vbo::bench

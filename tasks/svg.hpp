// SPDX-License-Identifier: MIT
// Just enough SVG for the pictures of tasks and the charts of benchmarks: shapes in pixels, axes
// with round ticks, and images as embedded PNG. One self-contained document, no scripts, no fonts
// to load.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vbo::tasks {

struct Pixel {
  double x, y;
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  // `look` holds further attributes: fill="none" stroke="#333".
  void rect(double x, double y, double width, double height, std::string_view look);
  void line(Pixel from, Pixel to, std::string_view look);
  void circle(Pixel centre, double radius, std::string_view look);
  void path(std::string_view data, std::string_view look);
  void polyline(std::span<const Pixel> points, std::string_view look);
  void polygon(std::span<const Pixel> points, std::string_view look);
  void text(Pixel at, std::string_view words, std::string_view look = "");
  // The same with SVG markup inside the words, e.g. a raised <tspan>.
  void marked_text(Pixel at, std::string_view markup, std::string_view look = "");
  // A heading and a grey line under it, top left.
  void heading(std::string_view title, std::string_view subtitle);
  // rows x columns palette indices, row 0 on top.
  void image(double x, double y, double width, double height, int columns, int rows,
             std::span<const std::uint8_t> indices, std::span<const std::uint32_t> palette);
  void raw(std::string_view markup) { body_ += markup; }

  std::string finish() const;

 private:
  void shape(std::string_view kind, std::string_view attributes, std::string_view look);

  std::string body_;
};

// Shortest text with at most `decimals` digits after the point.
std::string brief(double value, int decimals = 2);
// About `digits` significant digits, for people.
std::string readable(double value, int digits = 4);
std::string escaped(std::string_view text);
std::string path_data(std::span<const Pixel> points, bool closed = false);

// A linear scale from values to pixels.
struct Scale {
  double low, high, from, to;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};
// Round values inside [low, high], about `count` of them.
std::vector<double> round_ticks(double low, double high, int count);

// A frame with ticks, numbers and titles at the left and bottom of the area the scales span.
void draw_axes(Svg& svg, const Scale& x, const Scale& y, std::string_view x_title,
               std::string_view y_title, int x_ticks = 6, int y_ticks = 5);

// 0xRRGGBB palettes of 256 entries.
std::vector<std::uint32_t> viridis();
std::vector<std::uint32_t> laser();  // black over red to nearly white

}  // namespace vbo::tasks

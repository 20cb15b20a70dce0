// SPDX-License-Identifier: MIT
#include "tasks/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tasks/png.hpp"

namespace vbo::tasks {
namespace {

std::string attribute(std::string_view name, double value) {
  return std::string(" ") + std::string(name) + "=\"" + brief(value) + "\"";
}

}  // namespace

std::string brief(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string out = text;
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

std::string readable(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string path_data(std::span<const Pixel> points, bool closed) {
  std::string data;
  for (const Pixel& p : points) {
    data += data.empty() ? "M" : "L";
    data += brief(p.x, 1) + " " + brief(p.y, 1);
  }
  if (closed) data += "Z";
  return data;
}

Svg::Svg(double width, double height, std::string_view title) {
  const std::string w = brief(width), h = brief(height);
  body_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
          "\" viewBox=\"0 0 " + w + " " + h +
          "\" font-family=\"system-ui, 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\" "
          "fill=\"#374151\">\n<title>" +
          escaped(title) + "</title>\n";
  rect(0, 0, width, height, "rx=\"8\" fill=\"#ffffff\"");
}

std::string Svg::finish() const { return body_ + "</svg>\n"; }

void Svg::shape(std::string_view kind, std::string_view attributes, std::string_view look) {
  body_ += "<";
  body_ += kind;
  body_ += attributes;
  if (!look.empty()) {
    body_ += " ";
    body_ += look;
  }
  body_ += "/>\n";
}

void Svg::rect(double x, double y, double width, double height, std::string_view look) {
  shape("rect",
        attribute("x", x) + attribute("y", y) + attribute("width", width) +
            attribute("height", height),
        look);
}

void Svg::line(Pixel from, Pixel to, std::string_view look) {
  shape("line",
        attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
            attribute("y2", to.y),
        look);
}

void Svg::circle(Pixel centre, double radius, std::string_view look) {
  shape("circle", attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius),
        look);
}

void Svg::path(std::string_view data, std::string_view look) {
  shape("path", " d=\"" + std::string(data) + "\"", look);
}

void Svg::polyline(std::span<const Pixel> points, std::string_view look) {
  path(path_data(points), "fill=\"none\" " + std::string(look));
}

void Svg::polygon(std::span<const Pixel> points, std::string_view look) {
  path(path_data(points, true), look);
}

void Svg::text(Pixel at, std::string_view words, std::string_view look) {
  marked_text(at, escaped(words), look);
}

void Svg::marked_text(Pixel at, std::string_view markup, std::string_view look) {
  body_ += "<text" + attribute("x", at.x) + attribute("y", at.y);
  if (!look.empty()) {
    body_ += " ";
    body_ += look;
  }
  body_ += ">";
  body_ += markup;
  body_ += "</text>\n";
}

void Svg::heading(std::string_view title, std::string_view subtitle) {
  text({20, 28}, title, "font-size=\"16\" font-weight=\"600\" fill=\"#111827\"");
  text({20, 46}, subtitle, "fill=\"#6b7280\"");
}

void Svg::image(double x, double y, double width, double height, int columns, int rows,
                std::span<const std::uint8_t> indices, std::span<const std::uint32_t> palette) {
  shape("image",
        attribute("x", x) + attribute("y", y) + attribute("width", width) +
            attribute("height", height) +
            " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "href=\"data:image/png;base64," +
            base64(png_indexed(columns, rows, indices, palette)) + "\"",
        "");
}

std::vector<double> round_ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) {
    ticks.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return ticks;
}

void draw_axes(Svg& svg, const Scale& x, const Scale& y, std::string_view x_title,
               std::string_view y_title, int x_ticks, int y_ticks) {
  const double left = std::min(x.from, x.to), right = std::max(x.from, x.to);
  const double top = std::min(y.from, y.to), bottom = std::max(y.from, y.to);
  svg.rect(left, top, right - left, bottom - top, "fill=\"none\" stroke=\"#9ca3af\"");
  for (const double tick : round_ticks(x.low, x.high, x_ticks)) {
    svg.line({x(tick), bottom}, {x(tick), bottom + 4}, "stroke=\"#9ca3af\"");
    svg.text({x(tick), bottom + 17}, readable(tick), "text-anchor=\"middle\"");
  }
  for (const double tick : round_ticks(y.low, y.high, y_ticks)) {
    svg.line({left - 4, y(tick)}, {left, y(tick)}, "stroke=\"#9ca3af\"");
    svg.text({left - 7, y(tick) + 4}, readable(tick), "text-anchor=\"end\"");
  }
  svg.text({0.5 * (left + right), bottom + 34}, x_title, "text-anchor=\"middle\"");
  const Pixel at{left - 44, 0.5 * (top + bottom)};
  svg.text(
      at, y_title,
      "text-anchor=\"middle\" transform=\"rotate(-90 " + brief(at.x) + " " + brief(at.y) + ")\"");
}

// Polynomial fit of matplotlib's viridis (by M. Zucker), good to one grey level or two.
std::vector<std::uint32_t> viridis() {
  constexpr double c[7][3] = {
      {0.27772733, 0.00540734, 0.33409981},   {0.10509304, 1.40461353, 1.38459016},
      {-0.33086183, 0.21484756, 0.09509516},  {-4.63423050, -5.79910097, -19.33244096},
      {6.22826994, 14.17993337, 56.69055260}, {4.77638500, -13.74514538, -65.35303263},
      {-5.43545586, 4.64585261, 26.31243525}};
  std::vector<std::uint32_t> palette(256);
  for (int i = 0; i < 256; ++i) {
    std::uint32_t colour = 0;
    for (int channel = 0; channel < 3; ++channel) {
      double value = 0.0;
      for (int k = 6; k >= 0; --k) value = value * (i / 255.0) + c[k][channel];
      colour = colour << 8 |
               static_cast<std::uint32_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
    }
    palette[i] = colour;
  }
  return palette;
}

std::vector<std::uint32_t> laser() {
  std::vector<std::uint32_t> palette(256);
  for (int i = 0; i < 256; ++i) {
    const double t = std::pow(i / 255.0, 0.6);  // brings out the faint outer fringes
    const auto channel = [](double v) {
      return static_cast<std::uint32_t>(std::lround(255.0 * std::clamp(v, 0.0, 1.0)));
    };
    palette[i] = channel(0.05 + 1.2 * t) << 16 | channel(1.9 * t - 1.05) << 8 |
                 channel(0.05 + 2.4 * (t - 0.7) * (t > 0.7));
  }
  return palette;
}

}  // namespace vbo::tasks

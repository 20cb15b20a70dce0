// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tasks/contours.hpp"
#include "tasks/show.hpp"
#include "tasks/svg.hpp"

namespace vbo::tasks {
namespace {

double number(const Value& value) {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

Value as_value(const Parameter& parameter, double x) {
  x = std::clamp(x, parameter.low, parameter.high);
  if (parameter.kind == ParameterKind::integer) return static_cast<std::int64_t>(std::llround(x));
  return x;
}

// Without noise where that is known, else one fixed draw.
double value_at(const Task& task, const Point& point) {
  if (const auto exact = task.noiseless(point)) return *exact;
  Rng rng = evaluation_rng(0);
  return task.evaluate(point, rng);
}

std::string subtitle(const Task& task, const Point& point, std::size_t shown) {
  const double value = value_at(task, point);
  // Rounding left over at an optimum of 0 is not worth its 16 digits.
  std::string text =
      "value " + readable(std::abs(value) < 1e-12 ? 0.0 : value, 7) + " at the cross";
  if (task.info().optimum) text += ", optimum " + readable(task.info().optimum->value, 7);
  text += task.info().goal == Goal::minimize ? " (minimized)" : " (maximized)";
  if (task.space().size() > shown) text += "; the other parameters as given";
  return text;
}

void mark(Svg& svg, Pixel at) {
  for (const char* look :
       {"stroke=\"#ffffff\" stroke-width=\"5\"", "stroke=\"#dc2626\" stroke-width=\"2.5\""}) {
    svg.line({at.x - 6, at.y - 6}, {at.x + 6, at.y + 6}, look);
    svg.line({at.x - 6, at.y + 6}, {at.x + 6, at.y - 6}, look);
  }
}

std::string curve(const Task& task, const Point& point, std::size_t axis) {
  const Parameter& p = task.space()[axis];
  constexpr int n = 600;
  std::vector<double> xs, ys;
  for (int i = 0; i <= n; ++i) {
    Point at = point;
    at[axis] = as_value(p, p.low + (p.high - p.low) * i / n);
    xs.push_back(number(at[axis]));
    ys.push_back(value_at(task, at));
  }
  const auto [low, high] = std::minmax_element(ys.begin(), ys.end());
  const double room = std::max(1e-12, 0.05 * (*high - *low));
  Svg svg(720, 420, task.info().spec);
  svg.heading(task.info().spec, subtitle(task, point, 1));
  const Scale x{p.low, p.high, 80, 690}, y{*low - room, *high + room, 360, 70};
  draw_axes(svg, x, y, p.name, "value");
  std::vector<Pixel> line;
  for (std::size_t i = 0; i < xs.size(); ++i) line.push_back({x(xs[i]), y(ys[i])});
  svg.polyline(line, "stroke=\"#2563eb\" stroke-width=\"1.8\" stroke-linejoin=\"round\"");
  mark(svg, {x(number(point[axis])), y(value_at(task, point))});
  return svg.finish();
}

// Bands of equal area rather than equal height: they show structure on any scale.
std::string map(const Task& task, const Point& point, std::size_t across, std::size_t up) {
  const Parameter& px = task.space()[across];
  const Parameter& py = task.space()[up];
  constexpr int n = 161, bands = 14;
  std::vector<double> values;  // (n,n), top row = largest y
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      Point at = point;
      at[across] = as_value(px, px.low + (px.high - px.low) * column / (n - 1));
      at[up] = as_value(py, py.high - (py.high - py.low) * row / (n - 1));
      values.push_back(value_at(task, at));
    }
  }
  const bool minimize = task.info().goal == Goal::minimize;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> levels;  // edges between bands, finer towards the good end
  for (int band = 1; band < bands; ++band) {
    const double t = std::pow(static_cast<double>(band) / bands, 1.5);
    const double quantile = minimize ? t : 1.0 - t;
    levels.push_back(sorted[static_cast<std::size_t>(quantile * (n * n - 1))]);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  // Too many lines to draw mean a rough landscape: then colours run smoothly over the ranks
  // instead.
  std::string lines;
  std::size_t pieces = 0;
  constexpr double size = 440, left = 80, top = 78;
  for (const double level : levels) {
    for (std::vector<Pixel> line : contour_lines(values, n, n, level)) {
      for (Pixel& p : line) p = {left + p.x * size / (n - 1), top + p.y * size / (n - 1)};
      lines += path_data(line);
      pieces += line.size();
    }
  }
  const bool rough = pieces > 20000;
  const auto band_colour = [&](double value) {  // bright where the values are good
    const auto band = std::upper_bound(levels.begin(), levels.end(), value) - levels.begin();
    const double t = static_cast<double>(band) / std::max(1.0, static_cast<double>(levels.size()));
    return static_cast<std::uint8_t>(255.0 * (minimize ? 1.0 - t : t));
  };
  std::vector<std::uint8_t> indices;
  for (const double value : values) {
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
    const double t = static_cast<double>(rank) / static_cast<double>(sorted.size() - 1);
    indices.push_back(rough ? static_cast<std::uint8_t>(255.0 * (minimize ? 1.0 - t : t))
                            : band_colour(value));
  }
  const std::vector<std::uint32_t> palette = viridis();

  Svg svg(660, 574, task.info().spec);
  svg.heading(task.info().spec, subtitle(task, point, 2));
  const double half_cell = 0.5 * size / (n - 1);
  svg.raw(
      "<clipPath id=\"frame\"><rect x=\"80\" y=\"78\" width=\"440\" height=\"440\"/></clipPath>\n"
      "<g clip-path=\"url(#frame)\">\n");
  svg.image(left - half_cell, top - half_cell, size + 2 * half_cell, size + 2 * half_cell, n, n,
            indices, palette);
  if (!rough) {
    svg.path(lines,
             "fill=\"none\" stroke=\"#ffffff\" stroke-opacity=\"0.55\" stroke-width=\"0.8\"");
  }
  const Scale x{px.low, px.high, left, left + size}, y{py.low, py.high, top + size, top};
  const bool optimum_in_plane = task.space().size() == 2 && task.info().optimum;
  if (optimum_in_plane) {
    for (const Point& best : task.info().optimum->points) {
      svg.circle({x(number(best[across])), y(number(best[up]))}, 6,
                 "fill=\"none\" stroke=\"#111827\" stroke-width=\"2\"");
    }
  }
  mark(svg, {x(number(point[across])), y(number(point[up]))});
  svg.raw("</g>\n");
  draw_axes(svg, x, y, px.name, py.name);

  // Legend: the bands, best on top.
  const double block = size / static_cast<double>(levels.size() + 1);
  for (std::size_t i = 0; i <= levels.size(); ++i) {
    const std::size_t band = minimize ? i : levels.size() - i;
    const double representative = band < levels.size() ? std::nextafter(levels[band], -1e300)
                                                       : std::nextafter(levels.back(), 1e300);
    char colour[16];
    std::snprintf(colour, sizeof colour, "#%06x", palette[band_colour(representative)]);
    svg.rect(545, top + block * static_cast<double>(i), 18, block + 0.5,
             "fill=\"" + std::string(colour) + "\"");
    if (i == 0) continue;
    const double level = levels[minimize ? i - 1 : levels.size() - i];
    svg.text({570, top + block * static_cast<double>(i) + 4}, readable(level, 3));
  }
  svg.text({545, top - 8}, "best", "fill=\"#6b7280\"");
  if (optimum_in_plane) {
    svg.circle({left + 6, 558}, 5, "fill=\"none\" stroke=\"#111827\" stroke-width=\"2\"");
    svg.text({left + 17, 562}, "known optimum", "fill=\"#6b7280\"");
  }
  return svg.finish();
}

}  // namespace

std::string show_landscape(const Task& task, const Point& point) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < task.space().size() && axes.size() < 2; ++i) {
    const Parameter& p = task.space()[i];
    if (p.kind != ParameterKind::categorical && !p.is_fixed()) axes.push_back(i);
  }
  return axes.size() == 1 ? curve(task, point, axes[0]) : map(task, point, axes[0], axes[1]);
}

}  // namespace vbo::tasks

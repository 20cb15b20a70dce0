// SPDX-License-Identifier: MIT
// Pictures of the two simulators that end in fields: Brusselator and interferometer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "tasks/brusselator.hpp"
#include "tasks/interferometer.hpp"
#include "tasks/show.hpp"
#include "tasks/svg.hpp"

namespace vbo::tasks {
namespace {

// A 64 x 64 field with its colour bar, named above it.
void draw_field(Svg& svg, const std::vector<double>& field, double x, double y, double size,
                const std::string& name) {
  constexpr int side = brusselator::side;
  const auto [low, high] = std::minmax_element(field.begin(), field.end());
  // A field that is flat to a millionth is shown flat, not as amplified rounding.
  const double range = std::max(*high - *low, 1e-6 * std::max(1.0, std::abs(*high)));
  std::vector<std::uint8_t> indices;
  indices.reserve(field.size());
  for (const double value : field) {
    indices.push_back(static_cast<std::uint8_t>(255.0 * (value - *low) / range));
  }
  const std::vector<std::uint32_t> palette = viridis();
  svg.text({x, y - 8}, name, "font-weight=\"600\"");
  svg.image(x, y, size, size, side, side, indices, palette);
  svg.rect(x, y, size, size, "fill=\"none\" stroke=\"#9ca3af\"");
  std::vector<std::uint8_t> ramp(64);
  for (int i = 0; i < 64; ++i) ramp[i] = static_cast<std::uint8_t>(255 - 4 * i);
  svg.image(x + size + 10, y, 12, size, 1, 64, ramp, palette);
  svg.text({x + size + 27, y + 10}, readable(*low + range, 4));
  svg.text({x + size + 27, y + size}, readable(*low, 4));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct History {
  std::vector<double> time, u, v;  // spatial means
};

void draw_history(Svg& svg, const History& history, double top, double bottom) {
  double high = 0.0;
  for (std::size_t i = 0; i < history.time.size(); ++i) {
    high = std::max({high, history.u[i], history.v[i]});
  }
  const Scale x{0.0, brusselator::steps * brusselator::dt, 70, 690};
  const Scale y{0.0, 1.1 * high + 1e-9, bottom, top};
  draw_axes(svg, x, y, "time", "spatial mean", 8, 4);
  const auto curve = [&](const std::vector<double>& values, const char* colour, const char* name,
                         double label) {
    std::vector<Pixel> line;
    for (std::size_t i = 0; i < values.size(); ++i)
      line.push_back({x(history.time[i]), y(values[i])});
    svg.polyline(line, "stroke-width=\"2\" stroke-linejoin=\"round\" stroke=\"" +
                           std::string(colour) + "\"");
    svg.text({label, top - 6}, name, "font-weight=\"600\" fill=\"" + std::string(colour) + "\"");
  };
  curve(history.u, "#2563eb", "u", 70);
  curve(history.v, "#d97706", "v", 88);
}

}  // namespace

std::string show_brusselator(const Point& point, Rng& rng) {
  using namespace brusselator;
  const std::vector<double> x = reals(point);
  const Coefficients c{x[0], x[1], x[2], x[3]};
  std::vector<double> z(cells);
  for (double& cell : z) cell = rng.normal();
  State state = initial_state(c, z);
  History history;
  constexpr int pieces = 200;
  for (int piece = 0; piece <= pieces && state.finite; ++piece) {
    if (piece > 0) integrate(c, state, steps / pieces);
    if (!state.finite) break;
    history.time.push_back(piece * steps * dt / pieces);
    history.u.push_back(mean(state.u));
    history.v.push_back(mean(state.v));
  }
  Svg svg(720, 560, "brusselator");
  const std::string setting = "a = " + readable(c.a) + ", b = " + readable(c.b) +
                              ", D0 = " + readable(c.D0) + ", D1 = " + readable(c.D1);
  if (!state.finite) {
    svg.heading("Brusselator", setting + ": the explicit scheme blew up after t = " +
                                   readable(history.time.back()));
  } else {
    svg.heading("Brusselator: weighted variance " + readable(-objective(state), 5) + " at t = 20",
                setting);
    draw_field(svg, state.u, 30, 88, 260, "u");
    draw_field(svg, state.v, 378, 88, 260, "v");
  }
  draw_history(svg, history, 400, 510);
  return svg.finish();
}

std::string show_interferometer(const Point& point, Rng& rng) {
  using namespace interferometer;
  Screws x;
  for (int i = 0; i < 4; ++i) x[i] = std::get<double>(point[i]);
  const Imperfections imperfections = draw_imperfections(rng);
  const Frames shot = record(fields(x, imperfections), imperfections);
  const double value = visibility(shot.energy);
  Svg svg(720, 440, "interferometer");
  svg.heading("Interferometer: visibility " + readable(value, 4),
              "screws " + readable(x[0]) + ", " + readable(x[1]) + " (far mirror), " +
                  readable(x[2]) + ", " + readable(x[3]) + " (near mirror)");
  const std::vector<std::uint32_t> palette = laser();
  for (int k = 0; k < 4; ++k) {
    const double left = 20 + 172 * k;
    const int frame = 3 * k;
    // Pixel (i, j) lies at x = i, y = j; the picture's rows run downwards from the largest y.
    std::vector<std::uint8_t> indices;
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        indices.push_back(shot.grey[frame][column * side + (side - 1 - row)]);
      }
    }
    svg.image(left, 66, 160, 160, side, side, indices, palette);
    svg.text({left + 4, 242}, "frame " + std::to_string(frame), "fill=\"#6b7280\"");
  }
  const Scale at{-0.7, 15.7, 70, 690}, height{0.0, 1.0, 390, 272};
  const double high = *std::max_element(shot.energy.begin(), shot.energy.end());
  const double low = *std::min_element(shot.energy.begin(), shot.energy.end());
  for (const double level : {high, low}) {
    svg.line({70, height(level / (1.08 * high))}, {690, height(level / (1.08 * high))},
             "stroke=\"#9ca3af\" stroke-dasharray=\"4 3\"");
  }
  for (int k = 0; k < frames; ++k) {
    const double top = height(shot.energy[k] / (1.08 * high));
    svg.rect(at(k) - 13, top, 26, std::max(0.5, 390 - top),
             std::string("rx=\"2\" fill=\"") + (k < 12 ? "#dc2626" : "#f59e0b") + "\"");
    svg.text({at(k), 406}, std::to_string(k), "text-anchor=\"middle\"");
  }
  svg.line({70, 390}, {690, 390}, "stroke=\"#9ca3af\"");
  svg.text({380, 426}, "total light in each frame: 12 forwards (red), 4 backwards (amber)",
           "text-anchor=\"middle\"");
  svg.text({64, height(high / (1.08 * high)) + 4}, "max", "text-anchor=\"end\"");
  svg.text({64, height(low / (1.08 * high)) + (low > 0.9 * high ? 16 : 4)}, "min",
           "text-anchor=\"end\"");
  return svg.finish();
}

}  // namespace vbo::tasks

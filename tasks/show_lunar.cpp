// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tasks/lunar_lander.hpp"
#include "tasks/show.hpp"
#include "tasks/svg.hpp"

namespace vbo::tasks {
namespace {

using lunar::Environment;
using lunar::Frame;

const char* colour_of(lunar::Ending ending) {
  switch (ending) {
    case lunar::Ending::landed:
      return "#059669";
    case lunar::Ending::crashed:
      return "#dc2626";
    case lunar::Ending::out_of_sight:
      return "#d97706";
    case lunar::Ending::step_limit:
      return "#6b7280";
  }
  return "#000000";
}

const char* name_of(lunar::Ending ending) {
  switch (ending) {
    case lunar::Ending::landed:
      return "landed";
    case lunar::Ending::crashed:
      return "crashed";
    case lunar::Ending::out_of_sight:
      return "flew out of sight";
    case lunar::Ending::step_limit:
      return "still flying after 5,001 steps";
  }
  return "";
}

// The scene: world metres to pixels, y upwards.
struct Scene {
  double left, bottom, metre;
  Pixel operator()(double x, double y) const { return {left + metre * x, bottom - metre * y}; }
  // A place given in the lander's own coordinates.
  Pixel on(const Environment::Pose& pose, double x, double y) const {
    const double c = std::cos(pose.angle), s = std::sin(pose.angle);
    return (*this)(pose.x + c * x - s * y, pose.y + s * x + c * y);
  }
};

std::string dash(Pixel from, Pixel to) {
  return "M" + brief(from.x, 1) + " " + brief(from.y, 1) + "L" + brief(to.x, 1) + " " +
         brief(to.y, 1);
}

void draw_craft(Svg& svg, const Scene& scene, const Environment::Pose& pose, double opacity) {
  constexpr double corners[6][2] = {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}};
  std::vector<Pixel> hull;
  for (const auto& c : corners) hull.push_back(scene.on(pose, c[0] / 30, c[1] / 30));
  const std::string faded = " opacity=\"" + brief(opacity) + "\"";
  for (const double side : {-1.0, 1.0}) {
    svg.path(dash(scene.on(pose, side * 0.45, -0.2), scene.on(pose, side * 0.85, -0.6)),
             "stroke=\"#c4b5fd\" stroke-width=\"4\" stroke-linecap=\"round\"" + faded);
  }
  svg.polygon(hull, "fill=\"#8b5cf6\" stroke=\"#ddd6fe\" stroke-width=\"1\"" + faded);
}

void draw_ground(Svg& svg, const Scene& scene, const lunar::Terrain& terrain) {
  std::vector<Pixel> ground = {scene(0, 0)};
  for (int i = 0; i < 11; ++i) ground.push_back(scene(terrain.x[i], terrain.y[i]));
  ground.push_back(scene(lunar::width, 0));
  svg.polygon(ground, "fill=\"#475569\" stroke=\"#94a3b8\" stroke-width=\"1.5\"");
  svg.path(dash(scene(8, 3.3), scene(12, 3.3)), "stroke=\"#facc15\" stroke-width=\"4\"");
  for (const double x : {8.0, 12.0}) {
    svg.path(dash(scene(x, 3.3), scene(x, 4.6)), "stroke=\"#e5e7eb\" stroke-width=\"1.5\"");
    const Pixel flag[] = {scene(x, 4.6), scene(x, 4.2), scene(x + 0.7, 4.4)};
    svg.polygon(flag, "fill=\"#facc15\"");
  }
}

void draw_flight(Svg& svg, const Scene& scene, const std::vector<Frame>& frames) {
  std::string main_plume, side_plume, attitude;
  std::vector<Pixel> path;
  const std::size_t every = 1 + frames.size() / 800;  // keeps long flights small
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Environment::Pose& pose = frames[i].lander;
    if (i % every == 0 || i + 1 == frames.size()) path.push_back(scene(pose.x, pose.y));
    if (i % every == 0 && frames[i].action == lunar::main_engine) {
      main_plume += dash(scene.on(pose, 0, -0.35), scene.on(pose, 0, -0.95));
    } else if (i % every == 0 && frames[i].action != lunar::nothing) {
      // Action 1 fires the nozzle at larger x and so pushes towards smaller x.
      const double side = frames[i].action == lunar::left_engine ? 1.0 : -1.0;
      side_plume += dash(scene.on(pose, side * 0.55, 0.4), scene.on(pose, side * 0.9, 0.4));
    }
    if (i % (10 * every) == 0) attitude += dash(scene(pose.x, pose.y), scene.on(pose, 0, 0.55));
  }
  svg.path(main_plume, "stroke=\"#fb923c\" stroke-width=\"2\" opacity=\"0.75\"");
  svg.path(side_plume, "stroke=\"#38bdf8\" stroke-width=\"1.6\" opacity=\"0.8\"");
  svg.polyline(path, "stroke=\"#f8fafc\" stroke-width=\"1.6\" stroke-linejoin=\"round\"");
  svg.path(attitude, "stroke=\"#f8fafc\" stroke-width=\"1\" opacity=\"0.8\"");
  const std::size_t crafts = 4;
  for (std::size_t k = 0; k < crafts; ++k) {
    draw_craft(svg, scene, frames[k * (frames.size() - 1) / crafts].lander, 0.45);
  }
  draw_craft(svg, scene, frames.back().lander, 1.0);
}

// One bar per episode of the objective.
void draw_returns(Svg& svg, const std::vector<lunar::Flight>& flights, std::uint64_t chosen,
                  double top, double bottom) {
  double low = 0.0, high = 0.0;
  for (const lunar::Flight& f : flights) {
    low = std::min(low, f.total);
    high = std::max(high, f.total);
  }
  const Scale x{-0.5, static_cast<double>(flights.size()) - 0.5, 60, 700},
      y{low, high + 1e-9, bottom, top};
  for (const double tick : round_ticks(low, high, 3)) {
    svg.line({60, y(tick)}, {700, y(tick)}, "stroke=\"#e5e7eb\"");
    svg.text({53, y(tick) + 4}, readable(tick), "text-anchor=\"end\"");
  }
  for (std::size_t i = 0; i < flights.size(); ++i) {
    const double from = y(std::max(0.0, flights[i].total)), to = y(std::min(0.0, flights[i].total));
    const bool mine = i == chosen;
    const double place = x(static_cast<double>(i));
    svg.rect(place - 5, from, 10, std::max(1.0, to - from),
             "fill=\"" + std::string(colour_of(flights[i].ending)) + "\" opacity=\"" +
                 (mine ? "1" : "0.55") + "\"" +
                 (mine ? " stroke=\"#111827\" stroke-width=\"1.5\"" : ""));
    if (i % 10 == 0 || i + 1 == flights.size()) {
      svg.text({place, bottom + 16}, std::to_string(i), "text-anchor=\"middle\"");
    }
  }
  svg.text({60, bottom + 35}, "return of each episode:");
  double at = 210.0;
  for (const auto ending : {lunar::Ending::landed, lunar::Ending::crashed,
                            lunar::Ending::out_of_sight, lunar::Ending::step_limit}) {
    svg.rect(at, bottom + 26, 10, 10, "fill=\"" + std::string(colour_of(ending)) + "\"");
    svg.text({at + 15, bottom + 35}, name_of(ending));
    at += 30.0 + 6.4 * static_cast<double>(std::string_view(name_of(ending)).size());
  }
}

}  // namespace

std::string show_lunar_lander(const Point& point, std::uint64_t episode) {
  const lunar::Weights w = lunar::to_weights(point);
  std::vector<Frame> frames;
  const lunar::Flight flight = lunar::fly(w, static_cast<std::uint32_t>(episode), &frames);
  const lunar::Statistics all = lunar::fly_many(w, 0, lunar::episodes, 0);
  double ceiling = lunar::height + 0.6;
  for (const Frame& f : frames) ceiling = std::max(ceiling, f.lander.y + 0.8);
  ceiling = std::min(ceiling, 1.6 * lunar::height);

  constexpr double metre = 34.0, sky_top = 64.0;
  const Scene scene{20.0, sky_top + metre * ceiling, metre};
  const double chart = scene.bottom + 56.0;
  Svg svg(720, chart + 130, "lunar-lander");
  svg.heading("Lunar Lander: mean return " + readable(all.mean, 5) + " over 50 episodes",
              "episode " + std::to_string(episode) + ": " + name_of(flight.ending) + ", return " +
                  readable(flight.total, 5) + ", " + std::to_string(flight.steps) +
                  " steps of 0.02 s");
  svg.raw(
      "<defs><linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"#020617\"/>"
      "<stop offset=\"1\" stop-color=\"#1e293b\"/></linearGradient>"
      "<clipPath id=\"scene\"><rect x=\"20\" y=\"64\" width=\"680\" height=\"" +
      brief(metre * ceiling) + "\" rx=\"6\"/></clipPath></defs>\n<g clip-path=\"url(#scene)\">\n");
  svg.rect(20, sky_top, 680, metre * ceiling, "fill=\"url(#sky)\"");
  draw_ground(svg, scene, Environment(static_cast<std::uint32_t>(episode)).terrain());
  draw_flight(svg, scene, frames);
  svg.raw("</g>\n");
  const struct {
    const char *colour, *words;
    double x;
  } legend[] = {{"#fb923c", "main engine", 34},
                {"#38bdf8", "side engine", 134},
                {"#f8fafc", "path and attitude", 232}};
  for (const auto& entry : legend) {
    svg.path(dash({entry.x, scene.bottom - 16}, {entry.x + 14, scene.bottom - 16}),
             "stroke-width=\"3\" stroke=\"" + std::string(entry.colour) + "\"");
    svg.text({entry.x + 20, scene.bottom - 12}, entry.words, "fill=\"#e2e8f0\"");
  }
  draw_returns(svg, all.flights, episode, chart - 24, chart + 84);
  return svg.finish();
}

}  // namespace vbo::tasks

// SPDX-License-Identifier: MIT
// Pictures of the categorical tasks: pest control, binary sequences, spins.
#include <algorithm>
#include <cmath>

#include "tasks/combinatorial.hpp"
#include "tasks/pest_control.hpp"
#include "tasks/show.hpp"
#include "tasks/svg.hpp"

namespace vbo::tasks {
namespace {

constexpr const char* type_colour[5] = {"#e5e7eb", "#2563eb", "#0d9488", "#d97706", "#be185d"};

// The sequence as a strip, its autocorrelations below: the energy is their sum of squares.
std::string show_labs(const Task& task, const Point& point) {
  const int n = static_cast<int>(point.size());
  Svg svg(720, 360, task.info().spec);
  svg.heading(task.info().spec + ": energy " + readable(*task.noiseless(point), 6),
              "best possible " + readable(task.info().optimum->value, 6) +
                  "; the energy is the sum of the squared autocorrelations");
  const double cell = 620.0 / n;
  for (int i = 0; i < n; ++i) {
    svg.rect(70 + cell * i, 70, cell - 1, 32,
             std::string("rx=\"2\" fill=\"") + (spin(point[i]) > 0 ? "#111827" : "#d1d5db") + "\"");
  }
  std::vector<double> correlations;
  double largest = 1.0;
  for (int lag = 1; lag < n; ++lag) {
    int c = 0;
    for (int i = 0; i + lag < n; ++i) c += spin(point[i]) * spin(point[i + lag]);
    correlations.push_back(c);
    largest = std::max(largest, std::abs(static_cast<double>(c)));
  }
  const Scale x{0.0, static_cast<double>(n), 70, 690}, y{-largest - 0.5, largest + 0.5, 310, 130};
  draw_axes(svg, x, y, "lag", "autocorrelation", 8, 5);
  svg.line({70, y(0)}, {690, y(0)}, "stroke=\"#9ca3af\"");
  for (int lag = 1; lag < n; ++lag) {
    const double c = correlations[lag - 1];
    if (c == 0.0) continue;
    svg.rect(x(lag) - 0.35 * cell, y(std::max(c, 0.0)), 0.7 * cell, std::abs(y(c) - y(0)),
             "fill=\"#2563eb\"");
  }
  return svg.finish();
}

// Spins as black and white squares; those that differ from the nearer ground state are framed.
std::string show_ising(const Task& task, const Point& point) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(point.size()))));
  const Point* nearest = nullptr;
  int fewest = side * side + 1;
  for (const Point& ground : task.info().optimum->points) {
    int different = 0;
    for (std::size_t i = 0; i < point.size(); ++i) different += point[i] != ground[i];
    if (different < fewest) {
      fewest = different;
      nearest = &ground;
    }
  }
  Svg svg(480, 520, task.info().spec);
  svg.heading(task.info().spec + ": energy " + readable(*task.noiseless(point), 6),
              "ground state " + readable(task.info().optimum->value, 6) + ", " +
                  std::to_string(fewest) + " spins away");
  const double cell = 420.0 / side;
  for (int i = 0; i < side * side; ++i) {
    const int column = i % side, row = i / side;
    const double x = 30 + cell * column, y = 70 + cell * row;
    const bool wrong = point[i] != (*nearest)[i];
    svg.rect(x + 2, y + 2, cell - 4, cell - 4,
             std::string("rx=\"3\" fill=\"") + (spin(point[i]) > 0 ? "#111827" : "#e5e7eb") + "\"" +
                 (wrong ? " stroke=\"#dc2626\" stroke-width=\"3\"" : ""));
  }
  return svg.finish();
}

}  // namespace

std::string show_spins(const Task& task, const Point& point) {
  return task.info().name == "labs" ? show_labs(task, point) : show_ising(task, point);
}

std::string show_pest_control(const Point& point, Rng* fresh) {
  using namespace pest;
  const Plan plan = to_plan(point);
  Trace trace;
  const double cost = fresh ? fresh_cost(plan, *fresh, &trace) : seeded_cost(plan, &trace);
  double price = 0.0;
  for (const double p : trace.price) price += p;

  Svg svg(720, 520, "pest-control");
  svg.heading("Pest control: cost " + readable(cost, 6),
              "prices " + readable(price, 6) + " + crossings of the threshold " +
                  readable(cost - price, 4) + (fresh ? " (fresh random numbers)" : ""));
  const Scale x{0.5, stages + 0.5, 70, 690}, y{0.0, 1.0, 300, 76};
  for (int sim = 0; sim < simulations; ++sim) {
    std::vector<Pixel> line;
    line.reserve(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage) {
      line.push_back({x(stage + 1), y(trace.infested[stage][sim])});
    }
    svg.polyline(line, "stroke=\"#64748b\" stroke-opacity=\"0.13\"");
  }
  svg.line({70, y(threshold)}, {690, y(threshold)},
           "stroke=\"#dc2626\" stroke-dasharray=\"5 4\" stroke-width=\"1.3\"");
  svg.text({686, y(threshold) - 5}, "threshold", "text-anchor=\"end\" fill=\"#dc2626\"");
  std::vector<Pixel> mean, above;
  for (int stage = 0; stage < stages; ++stage) {
    mean.push_back({x(stage + 1), y(trace.mean[stage])});
    above.push_back({x(stage + 1), y(trace.above[stage] / 100.0)});
  }
  svg.polyline(above, "stroke=\"#dc2626\" stroke-width=\"2\" stroke-linejoin=\"round\"");
  svg.polyline(mean, "stroke=\"#111827\" stroke-width=\"2.4\" stroke-linejoin=\"round\"");
  draw_axes(svg, x, y, "", "infestation", 5, 5);
  svg.text({80, 92}, "mean infestation (100 fields in grey)",
           "fill=\"#111827\" font-weight=\"600\"");
  svg.text({80, 109}, "fraction of fields above the threshold, paid at each stage",
           "fill=\"#dc2626\" font-weight=\"600\"");

  const double cell = 620.0 / stages;
  svg.text({62, 349}, "action", "text-anchor=\"end\"");
  for (int stage = 0; stage < stages; ++stage) {
    const double left = x(stage + 1) - 0.5 * cell;
    const int type = plan[stage];
    svg.rect(left + 1.5, 332, cell - 3, 26,
             std::string("rx=\"3\" fill=\"") + type_colour[type] + "\"");
    svg.text({left + 0.5 * cell, 349}, std::to_string(type),
             std::string("text-anchor=\"middle\" fill=\"") + (type ? "#ffffff" : "#6b7280") + "\"");
  }
  double total = 0.0;
  std::vector<Pixel> cumulative = {{70, 0}};
  std::vector<double> totals = {0.0};
  for (int stage = 0; stage < stages; ++stage) {
    total += trace.price[stage] + trace.above[stage] / 100.0;
    totals.push_back(total);
    cumulative.push_back({x(stage + 1.5), 0});
  }
  const Scale money{0.0, std::max(1.0, 1.05 * total), 460, 378};
  for (std::size_t i = 0; i < totals.size(); ++i) cumulative[i].y = money(totals[i]);
  std::vector<Pixel> area = cumulative;
  area.push_back({690, 460});
  area.push_back({70, 460});
  svg.polygon(area, "fill=\"#bfdbfe\" opacity=\"0.6\"");
  svg.polyline(cumulative, "stroke=\"#2563eb\" stroke-width=\"2\"");
  draw_axes(svg, x, money, "stage", "cost so far", 5, 3);
  return svg.finish();
}

}  // namespace vbo::tasks

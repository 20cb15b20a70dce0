// SPDX-License-Identifier: MIT
#include "bench/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include "tasks/svg.hpp"

namespace vbo::bench {
namespace {

using tasks::brief;
using tasks::Pixel;
using tasks::Svg;

// Geometry in pixels.
constexpr double panel_width = 400, panel_height = 270;    // several to a figure
constexpr double single_width = 540, single_height = 350;  // alone
constexpr double margin_left = 74, margin_right = 16, margin_top = 30, margin_bottom = 46;
constexpr double title_height = 34, legend_line = 19, legend_sample = 30;
constexpr double character = 6.6;  // average width of a character at 12 pixels

std::string formatted(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string anchored(const char* anchor, int size, const char* more = "") {
  return std::string("text-anchor=\"") + anchor + "\" font-size=\"" + std::to_string(size) + "\"" +
         more;
}

// 120000, 0.05, -2e6, 1e-5.
std::string plain_number(double value) {
  if (value == 0.0) return "0";
  std::string text = formatted(std::abs(value) < 1e6 ? "%.6g" : "%.3g", value);
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    const bool negative = text[e + 1] == '-';
    const std::size_t digits = text.find_first_not_of("+-0", e + 1);
    text = text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(digits);
  }
  return text;
}

// The texts of an axis: plain numbers, or powers of ten when a logarithmic axis reaches far.
std::vector<std::string> tick_texts(const std::vector<double>& values, bool log) {
  const bool powers = log && values.size() > 1 && (values.front() < 0.009 || values.back() > 9999);
  std::vector<std::string> texts;
  for (const double value : values) {
    const double exponent = std::log10(value);
    if (powers && std::abs(exponent - std::round(exponent)) < 1e-9) {
      texts.push_back("10<tspan dy=\"-5\" font-size=\"8\">" + formatted("%.0f", exponent) +
                      "</tspan>");
    } else {
      texts.push_back(plain_number(value));
    }
  }
  return texts;
}

// Maps data to pixels along one axis.
class AxisScale {
 public:
  AxisScale(double low, double high, bool log, double from, double to)
      : log_(log), low_(put(low)), high_(put(high)), from_(from), to_(to) {}
  double operator()(double value) const {
    return from_ + (put(value) - low_) / (high_ - low_) * (to_ - from_);
  }

 private:
  double put(double value) const { return log_ ? std::log10(value) : value; }
  bool log_;
  double low_, high_, from_, to_;
};

bool usable(double value, bool log) { return std::isfinite(value) && (!log || value > 0.0); }

struct Range {
  double low, high;
};

// The range of what is drawn, a little widened, never empty.
Range range_of(const Axis& axis, const std::vector<Series>& series, bool vertical) {
  if (axis.low < axis.high) return {axis.low, axis.high};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& s : series) {
    for (const auto* values :
         {vertical ? &s.y : &s.x, vertical ? &s.low : nullptr, vertical ? &s.high : nullptr}) {
      if (values == nullptr) continue;
      for (const double v : *values) {
        if (!usable(v, axis.log)) continue;
        low = std::min(low, v);
        high = std::max(high, v);
      }
    }
  }
  if (low > high) return axis.log ? Range{0.1, 1.0} : Range{0.0, 1.0};
  if (axis.log) {
    const double margin = vertical ? 1.25 : 1.0;
    if (low == high) return {low / 2, high * 2};
    return {low / margin, high * margin};
  }
  if (low == high)
    return {low - 0.5 * std::max(1.0, std::abs(low)) * 0.1,
            high + 0.05 * std::max(1.0, std::abs(high))};
  const double margin = vertical ? 0.04 * (high - low) : 0.0;
  return {low - margin, high + margin};
}

// The unbroken parts of a line.
std::vector<std::vector<Pixel>> strokes(const Series& s, const AxisScale& x, const AxisScale& y,
                                        const Axis& xa, const Axis& ya) {
  std::vector<std::vector<Pixel>> parts;
  bool pen_down = false;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const bool drawn = usable(s.x[i], xa.log) && usable(s.y[i], ya.log);
    if (drawn && !pen_down) parts.emplace_back();
    if (drawn) parts.back().push_back({x(s.x[i]), y(s.y[i])});
    pen_down = drawn;
  }
  return parts;
}

std::vector<Pixel> band(const Series& s, const AxisScale& x, const AxisScale& y, const Axis& ya,
                        double floor) {
  std::vector<Pixel> outline, back;
  if (s.low.size() != s.x.size() || s.high.size() != s.x.size()) return outline;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!usable(s.high[i], ya.log)) continue;
    // On a logarithmic axis a lower edge at or below zero reaches the bottom of the panel.
    const double low = usable(s.low[i], ya.log) ? s.low[i] : floor;
    outline.push_back({x(s.x[i]), y(s.high[i])});
    back.push_back({x(s.x[i]), y(low)});
  }
  outline.insert(outline.end(), back.rbegin(), back.rend());
  return outline;
}

struct Size {
  double width, height;
};

// The area of a panel between its axes.
struct Area {
  double left, right, top, bottom;
};

void draw_frame(Svg& svg, const Panel& panel, const Area& area, Range xr, Range yr,
                const AxisScale& x, const AxisScale& y, double outside) {
  const double middle = (area.left + area.right) / 2;
  svg.text({middle, area.top - 10}, panel.title, anchored("middle", 13, " font-weight=\"bold\""));
  const std::vector<double> y_ticks = ticks(yr.low, yr.high, panel.y.log);
  const std::vector<std::string> y_texts = tick_texts(y_ticks, panel.y.log);
  for (std::size_t i = 0; i < y_ticks.size(); ++i) {
    const double at = y(y_ticks[i]);
    svg.line({area.left, at}, {area.right, at}, "stroke=\"#e4e4e4\"");
    svg.marked_text({area.left - 7, at + 4}, y_texts[i], anchored("end", 11));
  }
  const bool marked = !panel.x.marks.empty();
  const std::vector<double> x_ticks =
      marked ? panel.x.marks : ticks(xr.low, xr.high, panel.x.log, 6);
  const std::vector<std::string> x_texts = tick_texts(x_ticks, panel.x.log && !marked);
  for (std::size_t i = 0; i < x_ticks.size(); ++i) {
    const double at = x(x_ticks[i]);
    svg.line({at, area.bottom}, {at, area.bottom + 5}, "stroke=\"#444444\"");
    svg.marked_text({at, area.bottom + 18}, x_texts[i], anchored("middle", 11));
  }
  const std::vector<Pixel> axes = {
      {area.left, area.top}, {area.left, area.bottom}, {area.right, area.bottom}};
  svg.polyline(axes, "stroke=\"#444444\"");
  svg.text({middle, area.bottom + 37}, panel.x.label, anchored("middle", 12));
  const Pixel beside{outside + 14, (area.top + area.bottom) / 2};
  svg.text(beside, panel.y.label,
           anchored("middle", 12) + " transform=\"rotate(-90 " + brief(beside.x) + " " +
               brief(beside.y) + ")\"");
}

std::string line_look(const Style& style, double width) {
  return "stroke=\"" + style.colour + "\" stroke-width=\"" + brief(width, 1) +
         "\" stroke-linejoin=\"round\"" +
         (style.dash.empty() ? "" : " stroke-dasharray=\"" + style.dash + "\"");
}

void draw_series(Svg& svg, const Panel& panel, const AxisScale& x, const AxisScale& y,
                 double floor) {
  // Many bands on top of each other turn grey: the more there are, the fainter each.
  const double opacity = std::clamp(
      0.7 / static_cast<double>(std::max<std::size_t>(1, panel.series.size())), 0.035, 0.16);
  for (const Series& s : panel.series) {
    const std::vector<Pixel> outline = band(s, x, y, panel.y, floor);
    if (outline.empty()) continue;
    const double shown = s.style.leading ? std::max(0.16, opacity) : opacity;
    svg.polygon(outline,
                "fill=\"" + s.style.colour + "\" fill-opacity=\"" + brief(shown, 3) + "\"");
  }
  // Last first, so that the leaders of the legend lie on top, and above them the one to look at.
  std::vector<const Series*> order;
  for (auto s = panel.series.rbegin(); s != panel.series.rend(); ++s) order.push_back(&*s);
  std::stable_partition(order.begin(), order.end(),
                        [](const Series* s) { return !s->style.leading; });
  for (const Series* s : order) {
    for (const std::vector<Pixel>& part : strokes(*s, x, y, panel.x, panel.y)) {
      svg.polyline(part, line_look(s->style, s->style.width));
      if (!s->markers) continue;
      for (const Pixel& at : part) svg.circle(at, 2.6, "fill=\"" + s->style.colour + "\"");
    }
  }
}

void draw_panel(Svg& svg, const Panel& panel, double left, double top, Size size, int number) {
  const Area area{left + margin_left, left + size.width - margin_right, top + margin_top,
                  top + size.height - margin_bottom};
  const Range xr = range_of(panel.x, panel.series, false);
  const Range yr = range_of(panel.y, panel.series, true);
  const AxisScale x(xr.low, xr.high, panel.x.log, area.left, area.right);
  const AxisScale y(yr.low, yr.high, panel.y.log, area.bottom, area.top);
  const std::string clip = "plot" + std::to_string(number);
  svg.raw("<g>\n<clipPath id=\"" + clip + "\">");
  svg.rect(area.left, area.top, area.right - area.left, area.bottom - area.top, "");
  svg.raw("</clipPath>\n");
  draw_frame(svg, panel, area, xr, yr, x, y, left);
  svg.raw("<g clip-path=\"url(#" + clip + ")\">\n");
  draw_series(svg, panel, x, y, yr.low);
  svg.raw("</g>\n</g>\n");
}

// Labels in legend order with the style each has in the first panel that shows it.
std::vector<std::pair<std::string, Style>> legend_of(const Figure& figure) {
  std::map<std::string, Style> styles;
  std::vector<std::string> order = figure.legend;
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) {
      styles.emplace(s.label, s.style);
      if (std::find(order.begin(), order.end(), s.label) == order.end()) order.push_back(s.label);
    }
  }
  std::vector<std::pair<std::string, Style>> legend;
  for (const std::string& label : order) {
    if (styles.contains(label)) legend.emplace_back(label, styles[label]);
  }
  return legend;
}

void draw_legend_entry(Svg& svg, Pixel at, const std::string& label, const Style& style) {
  svg.line({at.x, at.y - 4}, {at.x + legend_sample - 6, at.y - 4},
           line_look(style, std::max(2.0, style.width)));
  svg.text({at.x + legend_sample, at.y}, label,
           anchored("start", 12, style.leading ? " font-weight=\"bold\"" : ""));
}

}  // namespace

std::vector<double> ticks(double low, double high, bool log, int count) {
  std::vector<double> all;
  if (log) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int step = std::max(1, (last - first + count) / count);
    for (int e = first; e <= last; e += step) all.push_back(std::pow(10.0, e));
    if (all.size() >= 2) return all;
    all.clear();  // less than two decades: 1, 2, 5
    for (int e = first - 1; e <= last + 1; ++e) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double t = digit * std::pow(10.0, e);
        if (t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9)) all.push_back(t);
      }
    }
    if (all.size() >= 2) return all;
    all.clear();  // less than that: evenly spaced
  }
  return tasks::round_ticks(low, high, count);
}

std::string to_svg(const Figure& figure) {
  const int panels = static_cast<int>(figure.panels.size());
  const int columns = std::clamp(figure.columns, 1, std::max(1, panels));
  const int rows = (panels + columns - 1) / columns;
  const auto legend = legend_of(figure);
  std::size_t longest = 1;
  for (const auto& [label, style] : legend) longest = std::max(longest, label.size());
  const double entry_width = legend_sample + character * static_cast<double>(longest) + 22;

  // One column of panels: the legend stands at the right; otherwise below, in columns.
  const double top = figure.title.empty() ? 4 : title_height;
  const bool beside = columns == 1;
  Size size{panel_width, panel_height};
  if (panels == 1) {
    size = {single_width,
            std::max(single_height, margin_top + static_cast<double>(legend.size()) * legend_line)};
  }
  const double panels_width = columns * size.width;
  const int legend_columns =
      beside ? 1 : std::max(1, static_cast<int>((panels_width - margin_left) / entry_width));
  const int legend_rows =
      (static_cast<int>(legend.size()) + legend_columns - 1) / std::max(1, legend_columns);
  const double width = panels_width + (beside ? entry_width : 0);
  const double below = top + rows * size.height;
  const double height = beside ? std::max(below, top + margin_top + legend_rows * legend_line + 10)
                               : below + legend_rows * legend_line + 16;

  Svg svg(width, height,
          figure.title.empty() && panels > 0 ? figure.panels[0].title : figure.title);
  if (!figure.title.empty()) {
    svg.text({margin_left, 22}, figure.title, anchored("start", 15, " font-weight=\"bold\""));
  }
  for (int i = 0; i < panels; ++i) {
    const int column = i % columns, row = i / columns;
    draw_panel(svg, figure.panels[static_cast<std::size_t>(i)], column * size.width,
               top + row * size.height, size, i);
  }
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const int column = beside ? 0 : static_cast<int>(i) / std::max(1, legend_rows);
    const int row = beside ? static_cast<int>(i) : static_cast<int>(i) % std::max(1, legend_rows);
    const double x = beside ? panels_width + 6 : margin_left + column * entry_width;
    const double y = (beside ? top + margin_top + 10 : below + 14) + row * legend_line;
    draw_legend_entry(svg, {x, y}, legend[i].first, legend[i].second);
  }
  return svg.finish();
}

Style style_of(const std::string& method) {
  static const std::map<std::string, Style, std::less<>> known = {
      {"vbo", {"#0072B2", "", 3.0, true}},
      {"vbo-paper", {"#56B4E9", "", 2.0}},
      {"vbo-gp-exploration", {"#56B4E9", "7 3", 1.6}},
      {"vbo-gp-exploitation", {"#56B4E9", "2 3", 1.6}},
      {"gp-logei", {"#D55E00", "", 1.6}},
      {"gp-ei", {"#D55E00", "7 3", 1.6}},
      {"gp-ucb", {"#D55E00", "2 3", 1.6}},
      {"focal", {"#E69F00", "", 1.6}},
      {"dkl", {"#E69F00", "7 3", 1.6}},
      {"ibnn", {"#E69F00", "2 3", 1.6}},
      {"hmc", {"#CC79A7", "", 1.6}},
      {"sghmc", {"#CC79A7", "7 3", 1.6}},
      {"laplace", {"#CC79A7", "2 3", 1.6}},
      {"turbo", {"#009E73", "", 1.6}},
      {"cmaes", {"#009E73", "7 3", 1.6}},
      {"sobol", {"#777777", "", 1.3}},
      {"random", {"#777777", "2 3", 1.3}}};
  if (const auto found = known.find(method); found != known.end()) return found->second;
  // Variants and strangers: one of the remaining looks, by name.
  static const std::vector<std::string> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "#000000"};
  static const std::vector<std::string> dashes = {"9 2 2 2", "4 2", "12 3", "1 2"};
  std::size_t hash = 5381;
  for (const char c : method) hash = hash * 33 + static_cast<unsigned char>(c);
  return {colours[hash % colours.size()], dashes[hash / colours.size() % dashes.size()], 1.6};
}

}  // namespace vbo::bench

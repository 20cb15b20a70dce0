// SPDX-License-Identifier: MIT
#include "cli/trial_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "cli/console.hpp"
#include "core/one_line.hpp"
#include "report/edges.hpp"

namespace vbo::cli {

void print_json(const Json& json) {
  // Texts may come from evaluators and need not be UTF-8; what is not is replaced.
  print_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string point_lines(const Space& space, const Point& point, std::string_view indent) {
  std::size_t width = 0;
  for (const Parameter& p : space.parameters()) width = std::max(width, p.name.size());
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto* real = std::get_if<double>(&point[i]);
    const bool exact = !real || space[i].step > 0.0;  // of a step every digit counts
    text += fmt::format("{}{:<{}} = {}\n", indent, one_line(space[i].name), width,
                        exact ? one_line(to_string(point[i])) : short_number(*real));
  }
  return text;
}

std::string limit_lines(const Space& space, const Trial& trial, std::string_view indent) {
  std::string text;
  for (const LimitAt& at : limits_at(space, trial.metrics)) {
    text += std::string(indent) + text_of(at) + "\n";
  }
  return text;
}

std::string bound_lines(const Space& space, const Point& point, std::string_view indent) {
  std::string text;
  for (const AtBound& at : at_bounds(space, point)) {
    text +=
        fmt::format("{}{} is at its {} bound, {}: consider widening\n", indent,
                    one_line(at.parameter), at.upper ? "upper" : "lower", number_text(at.bound));
  }
  return text;
}

std::string estimate_lines(const Estimate& estimate, std::string_view indent) {
  if (estimate.noise.verdict == Noise::none) return fmt::format("{}no noise detected\n", indent);
  if (!estimate.best) return "";
  const PointEstimate& best = *estimate.best;
  const auto percent = [](double share) {
    return share > 0.0 && share < 0.01 ? std::string("less than 1%")
                                       : fmt::format("{:.0f}%", 100.0 * share);
  };
  return fmt::format(
      "{0}estimated {1}, 90% interval {2} to {3}; {4} likely the best of those tried\n"
      "{0}observed {5}{6}; noise of one result {7:.3g}, {8} of the variance around here\n",
      indent, short_number(best.mean), short_number(best.low), short_number(best.high),
      percent(best.chance), short_number(best.observed),
      best.evaluations > 1 ? fmt::format(" in {} evaluations", best.evaluations) : "",
      estimate.noise.deviation, percent(estimate.noise.share));
}

std::string luckiest_line(const std::optional<Trial>& luckiest, std::string_view indent) {
  if (!luckiest) return "";
  return fmt::format("{}The best single result is {}, of trial {}.\n", indent,
                     short_number(*luckiest->value()), luckiest->id);
}

std::string point_text(const Space& space, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    text += (i ? ", " : "") + one_line(space[i].name + " = " + to_string(point[i]));
  }
  return text;
}

std::string values_text(const std::vector<Objective>& objectives, const std::vector<double>& values,
                        std::string (*number)(double)) {
  std::string text;
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (m > 0) text += ", ";
    if (objectives.size() > 1) text += one_line(objectives[m].name) + " = ";
    text += number(values[m]);
  }
  return text;
}

Json values_json(const std::vector<Objective>& objectives, const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  if (objectives.size() < 2) return values.front();
  Json json = Json::object();
  for (std::size_t m = 0; m < objectives.size(); ++m) json[objectives[m].name] = values[m];
  return json;
}

std::string_view values_key(const std::vector<Objective>& objectives) {
  return objectives.size() < 2 ? "value" : "values";
}

namespace {

constexpr std::size_t kShownTradeOffs = 8;
constexpr std::size_t kLongestLine = 100;

// The cells of a table, the header first; at most so many trials, spread over all.
std::vector<std::vector<std::string>> front_cells(const Space& space, const Front& front,
                                                  std::size_t most, bool parameters) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : front.trials) trials.push_back(&trial);
  const bool lower = front.objectives.front().goal == Goal::minimize;
  std::ranges::stable_sort(trials, [&](const Trial* a, const Trial* b) {
    return lower ? *a->value() < *b->value() : *a->value() > *b->value();
  });
  std::vector<std::vector<std::string>> rows = {{"trial"}};
  for (const Objective& objective : front.objectives) rows[0].push_back(one_line(objective.name));
  for (const Parameter& p : space.parameters()) {
    if (parameters) rows[0].push_back(one_line(p.name));
  }
  const std::size_t shown = std::min(trials.size(), most);
  for (std::size_t k = 0; k < shown; ++k) {
    const Trial& trial = *trials[shown == 1 ? 0 : k * (trials.size() - 1) / (shown - 1)];
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(std::to_string(trial.id));
    for (const double value : trial.values) row.push_back(short_number(value));
    for (const Value& value : trial.point) {
      const auto* real = std::get_if<double>(&value);
      if (parameters) row.push_back(real ? short_number(*real) : one_line(to_string(value)));
    }
  }
  return rows;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += fmt::format("  {:>{}}", row[c], widths[c]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string front_table(const Space& space, const Front& front) {
  return table_text(front_cells(space, front, front.trials.size(), true));
}

std::string short_front_table(const Space& space, const Front& front) {
  const std::string whole = table_text(front_cells(space, front, kShownTradeOffs, true));
  if (whole.find('\n') <= kLongestLine) return whole;
  return table_text(front_cells(space, front, kShownTradeOffs, false));
}

std::string number_text(double value) { return to_string(Value(value)); }
std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string duration_text(double seconds) {
  if (seconds < 10.0) return fmt::format("{:.2g} s", std::max(seconds, 0.0));
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e15)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole / 3600 % 24);
}

std::string time_text(double seconds) {
  if (!(seconds > 0.0)) return "";
  const auto ms = static_cast<std::int64_t>(std::floor(std::min(seconds, 1e11) * 1000.0));
  const auto whole = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms % 1000);
}

std::string outlook_text(const Outlook& outlook) {
  std::string text =
      fmt::format("{:.0f}%", 100.0 * outlook.chance) + " likely to bring a better result";
  if (outlook.gain <= 0.0) return text;
  text += fmt::format(", then by about {:.2g}", outlook.gain);
  if (outlook.share <= 0.0) return text;
  return text + (outlook.share < 1e-3
                     ? std::string(" (less than 0.1% of the spread)")
                     : fmt::format(" ({:.2g}% of the spread)", 100.0 * outlook.share));
}

}  // namespace vbo::cli

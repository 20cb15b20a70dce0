// SPDX-License-Identifier: MIT
#include "cli/trial_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "cli/console.hpp"
#include "core/limits.hpp"
#include "core/one_line.hpp"

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
  for (const Limit& limit : space.limits()) {
    const auto found = trial.metrics.find(limit.metric);
    const std::string measured =
        found == trial.metrics.end() ? "missing" : number_text(found->second);
    text += fmt::format("{}{} = {}", indent, one_line(limit.metric), measured);
    if (limit.at_least) text += ", at least " + number_text(*limit.at_least);
    if (limit.at_most) text += ", at most " + number_text(*limit.at_most);
    const bool kept = found != trial.metrics.end() && excess(limit, found->second) <= 0.0;
    text += kept ? "\n" : ": violated\n";
  }
  return text;
}

std::string point_text(const Space& space, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    text += (i ? ", " : "") + one_line(space[i].name + " = " + to_string(point[i]));
  }
  return text;
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

}  // namespace vbo::cli

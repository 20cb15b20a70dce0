// SPDX-License-Identifier: MIT
#include "tasks/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace vbo::tasks {
namespace {

template <class T>
std::optional<T> parsed(const std::string& text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string text_of(double value) { return to_string(Value(value)); }

}  // namespace

Result<TaskOptions> TaskOptions::parse(std::string_view spec) {
  TaskOptions options;
  options.spec_ = spec;
  const std::size_t mark = spec.find('?');
  options.name_ = spec.substr(0, mark);
  if (mark == std::string_view::npos) return options;
  std::string_view rest = spec.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) {
      return Error{ErrorKind::invalid_input,
                   "task \"" + options.spec_ + "\": found \"" + std::string(pair) +
                       "\", expected option=value, as in \"" + options.name_ + "?noise=0.1\""};
    }
    const auto [place, is_new] =
        options.given_.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    if (!is_new) {
      return Error{ErrorKind::invalid_input, "task \"" + options.spec_ + "\": option \"" +
                                                 place->first + "\" is given twice"};
    }
  }
  return options;
}

const std::string* TaskOptions::take(std::string_view name, std::string preset, std::string range,
                                     std::string_view summary) {
  known_.push_back({std::string(name), std::move(preset), std::move(range), std::string(summary)});
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

void TaskOptions::wrong(std::string message) {
  if (first_error_.empty()) first_error_ = "task \"" + spec_ + "\": " + std::move(message);
}

void TaskOptions::wrong_value(std::string_view name, const std::string& found,
                              const std::string& expected) {
  wrong("option \"" + std::string(name) + "\": found \"" + found + "\", expected " + expected);
}

std::int64_t TaskOptions::integer(std::string_view name, std::int64_t preset, std::int64_t low,
                                  std::int64_t high, std::string_view summary) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  const std::string* text = take(name, std::to_string(preset), range, summary);
  if (!text) return preset;
  const auto value = parsed<std::int64_t>(*text);
  if (value && *value >= low && *value <= high) return *value;
  wrong_value(name, *text, "a whole number from " + range);
  return preset;
}

std::optional<std::int64_t> TaskOptions::optional_integer(std::string_view name, std::int64_t low,
                                                          std::int64_t high,
                                                          std::string_view summary) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  const std::string* text = take(name, "off", range, summary);
  if (!text) return std::nullopt;
  const auto value = parsed<std::int64_t>(*text);
  if (value && *value >= low && *value <= high) return value;
  wrong_value(name, *text, "a whole number from " + range);
  return std::nullopt;
}

double TaskOptions::number(std::string_view name, double preset, double low, double high,
                           std::string_view summary) {
  const std::string range = text_of(low) + " to " + text_of(high);
  const std::string* text = take(name, text_of(preset), range, summary);
  if (!text) return preset;
  const auto value = parsed<double>(*text);
  if (value && *value >= low && *value <= high) return *value;
  wrong_value(name, *text, "a number from " + range);
  return preset;
}

bool TaskOptions::flag(std::string_view name, bool preset, std::string_view summary) {
  return integer(name, preset ? 1 : 0, 0, 1, summary) == 1;
}

Result<std::vector<TaskOption>> TaskOptions::finish() const {
  if (!first_error_.empty()) return Error{ErrorKind::invalid_input, first_error_};
  for (const auto& entry : given_) {
    const std::string& name = entry.first;
    const bool known = std::any_of(known_.begin(), known_.end(),
                                   [&](const TaskOption& option) { return option.name == name; });
    if (known) continue;
    std::string message =
        "task \"" + spec_ + "\": unknown option \"" + name + "\", expected one of";
    for (const TaskOption& option : known_) message += " " + option.name;
    return Error{ErrorKind::invalid_input, message};
  }
  return known_;
}

}  // namespace vbo::tasks

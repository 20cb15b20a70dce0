// SPDX-License-Identifier: MIT
#include "vbo/space.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace vbo {
namespace {

constexpr double kLargestInteger = 9007199254740992.0;  // 2^53: every integer up to it is a double

Error invalid(std::string message, std::string field = {}) {
  return {ErrorKind::invalid_input, std::move(message), std::move(field)};
}

// Of one parameter: `problem` after its name, the field "parameter.NAME.key".
Error invalid(const Parameter& p, const std::string& key, const std::string& problem) {
  return invalid("parameter \"" + p.name + "\": " + problem,
                 "parameter." + p.name + (key.empty() ? "" : "." + key));
}

std::string number(double value) { return to_string(Value(value)); }

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

bool is_whole(double value) {
  return std::trunc(value) == value && std::abs(value) <= kLargestInteger;
}

Result<void> check_bounds(const Parameter& p) {
  for (const auto& [key, bound] : {std::pair{"low", p.low}, std::pair{"high", p.high}}) {
    if (!std::isfinite(bound)) {
      return invalid(p, key, key + (" is " + number(bound)) + ", expected a finite number");
    }
    if (p.kind == ParameterKind::integer && !is_whole(bound)) {
      return invalid(p, key,
                     "bound " + number(bound) +
                         " is not usable, expected a whole number between -2^53 and 2^53");
    }
  }
  if (p.low > p.high) {
    return invalid(p, "low",
                   "low is " + number(p.low) + " and high is " + number(p.high) +
                       ", expected low <= high");
  }
  if (!std::isfinite(p.high - p.low)) {
    return invalid(p, "high",
                   "the range from " + number(p.low) + " to " + number(p.high) +
                       " is too wide for a double");
  }
  if (p.log && p.low <= 0.0) {
    return invalid(p, "log", "log = true with low = " + number(p.low) + ", expected low > 0");
  }
  return {};
}

Result<void> check_choices(const Parameter& p) {
  if (p.choices.empty()) {
    return invalid(p, "choices", "choices is empty, expected at least one choice");
  }
  std::set<std::string_view> seen;
  for (const std::string& choice : p.choices) {
    if (!seen.insert(choice).second) {
      return invalid(p, "choices",
                     "choice " + quoted(choice) + " is there twice, expected all different");
    }
  }
  return {};
}

// What a value of this parameter must be; built only when one is not.
std::string expected_value(const Parameter& p) {
  if (p.kind == ParameterKind::categorical) {
    std::string expected = "one of";
    for (const std::string& choice : p.choices) expected += " " + quoted(choice);
    return expected;
  }
  return "a value from " + number(p.low) + " to " + number(p.high);
}

Result<void> check_value(const Parameter& p, const Value& value) {
  const auto wrong = [&](const std::string& expected) {
    return invalid(p, "", "found " + to_string(value) + ", expected " + expected);
  };
  if (p.kind == ParameterKind::categorical) {
    const auto* text = std::get_if<std::string>(&value);
    if (text && std::find(p.choices.begin(), p.choices.end(), *text) != p.choices.end()) return {};
    return wrong(expected_value(p));
  }
  double x = 0.0;
  if (p.kind == ParameterKind::integer) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (!whole) return wrong("an integer");
    x = static_cast<double>(*whole);
  } else {
    const auto* real = std::get_if<double>(&value);
    if (!real || !std::isfinite(*real)) return wrong("a finite number");
    x = *real;
  }
  if (x < p.low || x > p.high) return wrong(expected_value(p));
  return {};
}

}  // namespace

Parameter Parameter::real(std::string name, double low, double high, bool log) {
  return {std::move(name), ParameterKind::real, low, high, log, {}};
}

Parameter Parameter::integer(std::string name, std::int64_t low, std::int64_t high, bool log) {
  return {std::move(name),
          ParameterKind::integer,
          static_cast<double>(low),
          static_cast<double>(high),
          log,
          {}};
}

Parameter Parameter::categorical(std::string name, std::vector<std::string> choices) {
  return {std::move(name), ParameterKind::categorical, 0.0, 1.0, false, std::move(choices)};
}

bool Parameter::is_fixed() const {
  return kind == ParameterKind::categorical ? choices.size() == 1 : low == high;
}

Result<Space> Space::make(std::vector<Parameter> parameters) {
  if (parameters.empty()) {
    return invalid("the space has no parameters, expected at least one", "parameter");
  }
  std::set<std::string_view> names;
  for (const Parameter& p : parameters) {
    if (p.name.empty()) return invalid("a parameter has an empty name", "parameter..name");
    if (!names.insert(p.name).second) {
      return invalid(p, "name", "the name is used twice");
    }
    const Result<void> checked =
        p.kind == ParameterKind::categorical ? check_choices(p) : check_bounds(p);
    if (!checked) return checked.error();
  }
  return Space(std::move(parameters));
}

std::optional<std::size_t> Space::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return i;
  }
  return std::nullopt;
}

Result<void> Space::check(const Point& point) const {
  if (point.size() != size()) {
    return invalid("a point has " + std::to_string(point.size()) + " values, expected " +
                   std::to_string(size()) + ", one per parameter");
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (Result<void> checked = check_value(parameters_[i], point[i]); !checked) return checked;
  }
  return {};
}

std::optional<double> Space::cardinality() const {
  double count = 1.0;
  for (const Parameter& p : parameters_) {
    if (p.is_fixed()) continue;
    if (p.kind == ParameterKind::real) return std::nullopt;
    count *= p.kind == ParameterKind::categorical ? static_cast<double>(p.choices.size())
                                                  : p.high - p.low + 1.0;
    if (count > kLargestInteger) return std::nullopt;
  }
  return count;
}

std::string to_string(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  std::array<char, 32> buffer{};
  const auto [end, status] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::get<double>(value));
  return status == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "vbo/space.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/axis.hpp"
#include "core/region.hpp"

namespace vbo {
namespace {

// More than anybody searches, and few enough to be quick about.
constexpr std::size_t kMostParameters = 10'000;
constexpr std::size_t kMostChoices = 10'000;  // of one parameter

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
    return invalid(
        p, "low",
        "low is " + number(p.low) + " and high is " + number(p.high) + ", expected low <= high");
  }
  if (!std::isfinite(p.high - p.low)) {
    return invalid(
        p, "high",
        "the range from " + number(p.low) + " to " + number(p.high) + " is too wide for a double");
  }
  if (p.log && p.low <= 0.0) {
    return invalid(p, "log", "log = true with low = " + number(p.low) + ", expected low > 0");
  }
  return Axis::check_step(p);
}

bool is_number(const Value& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
}

double number_of(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole ? static_cast<double>(*whole) : std::get<double>(value);
}

// A text in quotes, anything else as it is.
std::string shown(const Value& value) {
  return std::holds_alternative<std::string>(value) ? quoted(to_string(value)) : to_string(value);
}

Result<void> check_choices(const Parameter& p) {
  const std::string key = p.kind == ParameterKind::ordinal ? "values" : "choices";
  const std::string one = p.kind == ParameterKind::ordinal ? "value " : "choice ";
  if (p.choices.empty()) {
    return invalid(p, key,
                   key + " is empty, expected at least one " + one.substr(0, one.size() - 1));
  }
  if (p.choices.size() > kMostChoices) {
    return invalid(p, key,
                   "found " + std::to_string(p.choices.size()) + " " + key + ", expected at most " +
                       std::to_string(kMostChoices));
  }
  std::set<std::string> seen;  // by text: a program's arguments cannot tell "3" from 3
  for (const Value& choice : p.choices) {
    const auto* number = std::get_if<double>(&choice);
    if (number && !std::isfinite(*number)) {
      return invalid(p, key, one + to_string(choice) + " is not usable, expected a finite number");
    }
    const auto* text = std::get_if<std::string>(&choice);
    if (text && text->find('\0') != std::string::npos) {
      return invalid(p, key,
                     one + shown(choice) + " has a NUL character, which no program can get");
    }
    if (!seen.insert(to_string(choice)).second) {
      return invalid(p, key, one + shown(choice) + " is there twice, expected all different");
    }
  }
  if (p.kind != ParameterKind::ordinal) return {};
  if (std::all_of(p.choices.begin(), p.choices.end(), is_number)) {
    const auto rises = [](const Value& a, const Value& b) { return number_of(a) < number_of(b); };
    const auto falls = [&](const Value& a, const Value& b) { return rises(b, a); };
    if (!std::is_sorted(p.choices.begin(), p.choices.end(), rises) &&
        !std::is_sorted(p.choices.begin(), p.choices.end(), falls)) {
      return invalid(p, key, "the numbers neither rise nor fall, expected them in order");
    }
  }
  return {};
}

// What a value of this parameter must be; built only when one is not.
std::string expected_value(const Parameter& p) {
  if (p.has_choices()) {
    std::string expected = "one of";
    for (const Value& choice : p.choices) expected += " " + shown(choice);
    return expected;
  }
  const std::string what = p.kind == ParameterKind::integer ? "an integer" : "a finite number";
  const std::string range = what + " from " + number(p.low) + " to " + number(p.high);
  return p.step > 0.0 ? range + " in steps of " + number(p.step) : range;
}

// The number-th measured constraint.
Result<void> check_limit(const Limit& limit, std::size_t number) {
  const std::string field = "limit." + std::to_string(number);
  const std::string which = "the limit on metric " + quoted(limit.metric);
  if (limit.metric.empty()) return invalid("a limit has no metric, expected its name", field);
  if (!limit.at_most && !limit.at_least) {
    return invalid(which + " has no bound, expected at_most or at_least", field);
  }
  for (const std::optional<double>& bound : {limit.at_most, limit.at_least}) {
    if (bound && !std::isfinite(*bound)) {
      return invalid(which + " is " + to_string(Value(*bound)) + ", expected a finite number",
                     field);
    }
  }
  if (limit.at_most && limit.at_least && *limit.at_least > *limit.at_most) {
    return invalid(which + ": at_least is " + to_string(Value(*limit.at_least)) +
                       " and at_most is " + to_string(Value(*limit.at_most)) +
                       ", expected at_least <= at_most",
                   field);
  }
  return {};
}

}  // namespace

Parameter Parameter::real(std::string name, double low, double high, bool log, double step) {
  return {std::move(name), ParameterKind::real, low, high, log, {}, step};
}

Parameter Parameter::integer(std::string name, std::int64_t low, std::int64_t high, bool log,
                             std::int64_t step) {
  return {std::move(name),
          ParameterKind::integer,
          static_cast<double>(low),
          static_cast<double>(high),
          log,
          {},
          static_cast<double>(step)};
}

Parameter Parameter::categorical(std::string name, std::vector<Value> choices) {
  return {std::move(name), ParameterKind::categorical, 0.0, 1.0, false, std::move(choices)};
}

Parameter Parameter::ordinal(std::string name, std::vector<Value> values) {
  return {std::move(name), ParameterKind::ordinal, 0.0, 1.0, false, std::move(values)};
}

bool Parameter::has_choices() const {
  return kind == ParameterKind::categorical || kind == ParameterKind::ordinal;
}

bool Parameter::is_fixed() const {
  if (has_choices()) return choices.size() == 1;
  // high - low may round to a little less than a step.
  return low == high || (step > 0.0 && high - low < step * (1.0 - 1e-9));
}

Result<Space> Space::make(std::vector<Parameter> parameters, std::vector<std::string> constraints,
                          std::vector<Limit> limits) {
  if (parameters.empty()) {
    return invalid("the space has no parameters, expected at least one", "parameter");
  }
  if (parameters.size() > kMostParameters) {
    return invalid("found " + std::to_string(parameters.size()) + " parameters, expected at most " +
                       std::to_string(kMostParameters),
                   "parameter");
  }
  std::set<std::string_view> names;
  for (const Parameter& p : parameters) {
    if (p.name.find('\0') != std::string::npos) return invalid(p, "name", "has a NUL character");
    if (p.name.empty()) return invalid("a parameter has an empty name", "parameter..name");
    if (!names.insert(p.name).second) return invalid(p, "name", "the name is used twice");
    const Result<void> checked = p.has_choices() ? check_choices(p) : check_bounds(p);
    if (!checked) return checked.error();
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (const auto checked = check_limit(limits[i], i + 1); !checked) return checked.error();
  }
  Space space;
  space.limits_ = std::move(limits);
  space.parameters_ = std::move(parameters);
  space.constraints_ = std::move(constraints);
  if (space.constraints_.empty()) return space;
  Result<std::shared_ptr<const Region>> region =
      Region::make(space.parameters_, space.constraints_);
  if (!region) return region.error();
  space.region_ = std::move(*region);
  return space;
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
    const Parameter& p = parameters_[i];
    if (is_value_of(p, point[i])) continue;
    return invalid(p, "", "found " + shown(point[i]) + ", expected " + expected_value(p));
  }
  return region_ ? region_->check(point) : Result<void>();
}

std::optional<double> Space::cardinality() const {
  double count = 1.0;
  for (const Parameter& p : parameters_) {
    if (p.is_fixed()) continue;
    const Axis axis(p);
    if (!axis.is_discrete()) return std::nullopt;
    count *= static_cast<double>(axis.count());
    if (count > kLargestInteger) return std::nullopt;
  }
  return count;
}

std::string to_string(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  std::array<char, 32> buffer{};
  const auto [end, status] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::get<double>(value));
  return status == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

}  // namespace vbo

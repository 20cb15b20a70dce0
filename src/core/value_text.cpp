// SPDX-License-Identifier: MIT
#include "core/value_text.hpp"

#include <optional>

#include "core/axis.hpp"
#include "core/from_chars.hpp"

namespace vbo {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Value> value_from_text(const Parameter& parameter, std::string_view text) {
  const auto wrong = [&](const std::string& expected) {
    return Error{ErrorKind::invalid_input,
                 "parameter \"" + parameter.name + "\": found \"" + std::string(text) +
                     "\", expected " + expected,
                 "parameter." + parameter.name};
  };
  if (parameter.has_choices()) {
    std::string choices = "one of";
    for (const Value& choice : parameter.choices) {
      if (to_string(choice) == text) return choice;
      choices += " " + to_string(choice);
    }
    return wrong(choices);
  }
  std::optional<Value> value;
  if (parameter.kind == ParameterKind::integer) {
    if (const auto whole = parsed<std::int64_t>(text)) value = *whole;
  } else if (const auto number = parsed<double>(text)) {
    value = *number;
  }
  if (value && is_value_of(parameter, *value)) return *value;
  std::string expected = parameter.kind == ParameterKind::integer ? "a whole number" : "a number";
  expected +=
      " from " + to_string(Value(parameter.low)) + " to " + to_string(Value(parameter.high));
  if (parameter.step > 0.0) expected += " in steps of " + to_string(Value(parameter.step));
  return wrong(expected);
}

}  // namespace vbo

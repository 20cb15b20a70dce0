// SPDX-License-Identifier: MIT
#include "core/value_text.hpp"

#include <charconv>
#include <optional>

namespace vbo {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
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
  const auto range = [&parameter] {
    return to_string(Value(parameter.low)) + " to " + to_string(Value(parameter.high));
  };
  if (parameter.kind == ParameterKind::categorical) {
    std::string choices = "one of";
    for (const std::string& choice : parameter.choices) {
      if (choice == text) return Value(choice);
      choices += " " + choice;
    }
    return wrong(choices);
  }
  if (parameter.kind == ParameterKind::integer) {
    const auto whole = parsed<std::int64_t>(text);
    const bool inside = whole && static_cast<double>(*whole) >= parameter.low &&
                        static_cast<double>(*whole) <= parameter.high;
    if (!inside) return wrong("a whole number from " + range());
    return Value(*whole);
  }
  const auto number = parsed<double>(text);
  const bool inside = number && *number >= parameter.low && *number <= parameter.high;
  if (!inside) return wrong("a number from " + range());
  return Value(*number);
}

}  // namespace vbo

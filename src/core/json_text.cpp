// SPDX-License-Identifier: MIT
// JSON from text and back: what comes from outside is bounded before it is parsed.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.hpp"

namespace vbo {
namespace {

constexpr std::size_t kShownLength = 80;

// Levels of arrays and objects in one another, whether or not the text is valid.
int deepest_nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Json json_of(double number) {
  if (std::isfinite(number)) return number;
  if (std::isnan(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

Json json_of(const std::optional<double>& number) { return number ? json_of(*number) : Json(); }

std::optional<double> number_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Result<Json> parse_json(std::string_view text, std::size_t largest) {
  const auto invalid = [](std::string message) {
    return Error{ErrorKind::invalid_input, std::move(message)};
  };
  if (text.size() > largest) {
    return invalid("JSON of " + std::to_string(text.size()) + " bytes, expected at most " +
                   std::to_string(largest));
  }
  if (deepest_nesting(text) > kDeepestJson) {
    return invalid("JSON nested deeper than " + std::to_string(kDeepestJson) +
                   " levels: " + excerpt(text));
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return invalid("not valid JSON: \"" + excerpt(text) + "\"");
  return json;
}

std::string excerpt(std::string_view text) {
  if (text.size() <= kShownLength) return std::string(text);
  // Not in the middle of a character.
  std::size_t end = kShownLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string excerpt(const Json& json) { return excerpt(std::string_view(dump(json))); }

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> dump_exact(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    return Error{ErrorKind::invalid_input, "not valid UTF-8: " + excerpt(json)};
  }
}

}  // namespace vbo

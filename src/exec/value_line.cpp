// SPDX-License-Identifier: MIT
#include "exec/value_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace vbo {
namespace {

using nlohmann::json;

constexpr std::string_view kSpaces = " \t\r\n\v\f";
constexpr std::size_t kQuoteLimit = 80;  // of a line quoted in a message

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string excerpt(std::string_view text) {
  return text.size() <= kQuoteLimit ? std::string(text)
                                    : std::string(text.substr(0, kQuoteLimit)) + "...";
}

Failure non_finite(std::string_view text) {
  return {FailureCause::non_finite, "the value is " + excerpt(text) + ", not a finite number"};
}

// Decimal text, nan or inf; nullopt when it is anything else.
std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // from_chars does not say on which side; a negative exponent means the number is tiny.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos
                          ? trimmed(text).starts_with("0.") || trimmed(text).starts_with("-0.")
                          : text.substr(exponent + 1).starts_with('-');
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (status != std::errc()) return std::nullopt;
  return value;
}

// Python writes NaN and Infinity, which JSON does not know. Outside strings they become null.
std::string without_python_numbers(std::string_view text, bool& changed) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_string) {
      bool matched = false;
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (!text.substr(i).starts_with(word)) continue;
        out += "null";
        i += word.size();
        changed = matched = true;
        break;
      }
      if (matched) continue;
    }
    if (in_string && text[i] == '\\' && i + 1 < text.size())
      out += text[i++];
    else if (text[i] == '"')
      in_string = !in_string;
    out += text[i++];
  }
  return out;
}

struct ParsedObject {
  json object;
  bool had_non_finite = false;  // NaN or Infinity, read as null
};

std::optional<ParsedObject> parse_object(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  ParsedObject parsed;
  parsed.object = json::parse(text, nullptr, false);
  if (parsed.object.is_discarded()) {
    const std::string cleaned = without_python_numbers(text, parsed.had_non_finite);
    if (parsed.had_non_finite) parsed.object = json::parse(cleaned, nullptr, false);
  }
  if (!parsed.object.is_object()) return std::nullopt;
  return parsed;
}

ValueOrFailure value_of(const ParsedObject& parsed, std::string_view line) {
  const json& value = parsed.object.at("value");
  if (value.is_number()) {
    const double number = value.get<double>();
    if (std::isfinite(number)) return number;
    return non_finite(value.dump());
  }
  if (value.is_null() && parsed.had_non_finite) return non_finite(line);
  return Failure{FailureCause::no_value,
                 "\"value\" is " +
                     excerpt(value.dump(-1, ' ', true, json::error_handler_t::replace)) +
                     ", expected a number"};
}

}  // namespace

void Tail::append(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    cut_ = cut_ || !bytes_.empty() || bytes.size() > limit_;
    bytes_.assign(bytes.substr(bytes.size() - limit_));
    return;
  }
  bytes_ += bytes;
  if (bytes_.size() > limit_) cut_ = true;
  if (bytes_.size() > 2 * limit_) bytes_.erase(0, bytes_.size() - limit_);
}

void Tail::clear() {
  bytes_.clear();
  cut_ = false;
}

std::string_view Tail::text() const {
  const std::string_view all = bytes_;
  return all.size() > limit_ ? all.substr(all.size() - limit_) : all;
}

std::optional<ValueOrFailure> parse_value_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (const std::optional<double> number = parse_number(text)) {
    if (std::isfinite(*number)) return *number;
    return non_finite(text);
  }
  const std::optional<ParsedObject> parsed = parse_object(text);
  if (!parsed || !parsed->object.contains("value")) return std::nullopt;
  return value_of(*parsed, text);
}

ValueOrFailure find_value(const Tail& output) {
  std::string_view text = output.text();
  if (output.cut()) {
    // The first line has lost its beginning: "-12.5" may look like "2.5".
    const std::size_t first_end = text.find('\n');
    text = first_end == std::string_view::npos ? std::string_view{} : text.substr(first_end + 1);
  }
  while (!text.empty()) {
    const std::size_t start = text.substr(0, text.size() - 1).rfind('\n') + 1;  // npos + 1 == 0
    if (const auto found = parse_value_line(text.substr(start))) return *found;
    text = text.substr(0, start);
  }
  return Failure{FailureCause::no_value,
                 output.text().empty()
                     ? "it printed nothing, expected a number or {\"value\": ...} on a line"
                     : "no line it printed is a number or a JSON object with \"value\""};
}

Reply parse_reply(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::optional<ParsedObject> parsed = parse_object(text);
  if (!parsed) {
    const bool meant = text.starts_with('{') && text.find("\"id\"") != std::string_view::npos;
    Reply reply;
    reply.kind = meant ? Reply::Kind::malformed : Reply::Kind::other;
    reply.result = Failure{FailureCause::crash, "its answer is not valid JSON: " + excerpt(text)};
    return reply;
  }
  const json& object = parsed->object;
  Reply reply;
  if (!object.contains("value") && !object.contains("error")) return reply;
  const auto id = object.find("id");
  if (id == object.end() || !id->is_number_integer()) {
    reply.kind = Reply::Kind::malformed;
    reply.result =
        Failure{FailureCause::crash, "its answer has no whole number \"id\": " + excerpt(text)};
    return reply;
  }
  reply.kind = Reply::Kind::answer;
  reply.id = id->get<TrialId>();
  if (const auto error = object.find("error"); error != object.end() && !error->is_null()) {
    reply.result = Failure{FailureCause::reported, error->is_string() ? error->get<std::string>()
                                                                      : error->dump(-1, ' ', true)};
  } else if (object.contains("value")) {
    reply.result = value_of(*parsed, text);
  } else {
    reply.result = Failure{FailureCause::no_value, "its answer has neither value nor error"};
  }
  return reply;
}

}  // namespace vbo

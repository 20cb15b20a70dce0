// SPDX-License-Identifier: MIT
#include "exec/value_line.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/from_chars.hpp"
#include "core/json.hpp"

namespace vbo {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_part_of_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

// JSON has no word for what is not finite; C writes nan and inf, Python NaN and Infinity, and 1e999
// is too large. Outside of strings they become the texts "nan", "inf" and "-inf".
std::string with_quoted_words(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_part_of_a_word(text[i])) {
      while (end < text.size() && is_part_of_a_word(text[end])) ++end;
      const std::optional<double> number = parse_number(text.substr(i, end - i));
      if (number && !std::isfinite(*number)) {
        out += dump(json_of(*number));
        i = end;
        continue;
      }
    }
    out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

// An answer, or any other object an evaluator prints.
Result<Json> parse_object(std::string_view text) {
  Result<Json> json = parse_json(text);
  if (!json) {
    // What is too deep or too large stays so.
    Result<Json> lenient = parse_json(with_quoted_words(text));
    if (lenient) json = std::move(lenient);
  }
  if (json && !json->is_object()) return Error{ErrorKind::invalid_input, "not an object"};
  return json;
}

bool is_answer(const Json& object, std::span<const Objective> objectives) {
  return object.contains("error") || object.contains("value") ||
         (objectives.size() > 1 && object.contains("values"));
}

// What a program should print.
std::string answer_form(std::span<const Objective> objectives) {
  if (objectives.size() < 2) return "a number or {\"value\": ...}";
  std::string names;
  for (const Objective& objective : objectives) {
    names += (names.empty() ? "\"" : ", \"") + objective.name + "\": NUMBER";
  }
  return "{\"values\": {" + names + "}}";
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0.0;
  const auto [end, status] = from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // from_chars does not say on which side; a negative exponent means the number is tiny.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos
                          ? trimmed(text).starts_with("0.") || trimmed(text).starts_with("-0.")
                          : text.substr(exponent + 1).starts_with('-');
    if (tiny) return 0.0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return trimmed(text).starts_with('-') ? -infinity : infinity;
  }
  if (status != std::errc()) return std::nullopt;
  return value;
}

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

std::optional<Outcome> parse_value_line(std::string_view line,
                                        std::span<const Objective> objectives) {
  const std::string_view text = trimmed(line);
  const bool may_be_number = objectives.size() < 2;
  if (const auto number = may_be_number ? parse_number(text) : std::nullopt) {
    if (std::isfinite(*number)) return Outcome::of(*number);
    return Outcome::failed(FailureCause::non_finite,
                           "the value is " + excerpt(text) + ", not a finite number");
  }
  if (!text.starts_with('{')) return std::nullopt;
  const Result<Json> object = parse_object(text);
  if (!object || !is_answer(*object, objectives)) return std::nullopt;
  return outcome_from(*object, objectives);
}

Outcome find_value(const Tail& output, std::span<const Objective> objectives) {
  std::string_view text = output.text();
  if (output.cut()) {
    // The first line has lost its beginning: "-12.5" may look like "2.5".
    const std::size_t first_end = text.find('\n');
    text = first_end == std::string_view::npos ? std::string_view{} : text.substr(first_end + 1);
  }
  for (bool last = true; !text.empty();) {
    const std::size_t start = text.substr(0, text.size() - 1).rfind('\n') + 1;  // npos + 1 == 0
    const std::string_view line = trimmed(text.substr(start));
    if (std::optional<Outcome> found = parse_value_line(line, objectives)) {
      found->line = line;
      return *std::move(found);
    }
    // A brace alone ends an object that was spread over several lines.
    const bool is_number = objectives.size() > 1 && parse_number(line);
    if (last && (line.starts_with('{') || line == "}" || is_number)) {
      return Outcome::failed(FailureCause::no_value, "the last line it printed is " +
                                                         excerpt(line) + ", expected " +
                                                         answer_form(objectives) + " on one line");
    }
    last = last && line.empty();
    text = text.substr(0, start);
  }
  if (output.text().empty()) {
    return Outcome::failed(FailureCause::no_value, "it printed nothing, expected " +
                                                       answer_form(objectives) + " on a line");
  }
  return Outcome::failed(FailureCause::no_value,
                         objectives.size() > 1
                             ? "no line it printed is " + answer_form(objectives)
                             : "no line it printed is a number or a JSON object with \"value\"");
}

Reply parse_reply(std::string_view line, std::span<const Objective> objectives) {
  const std::string_view text = trimmed(line);
  Reply reply;
  if (!text.starts_with('{')) return reply;
  const auto malformed = [&](const std::string& why) {
    reply.kind = Reply::Kind::malformed;
    reply.result = Outcome::failed(FailureCause::crash, why + excerpt(text));
    return reply;
  };
  const Result<Json> object = parse_object(text);
  if (!object) {
    const bool meant = text.find("\"id\"") != std::string_view::npos;
    return meant ? malformed("its answer is not valid JSON: ") : reply;
  }
  if (!is_answer(*object, objectives)) return reply;
  const auto id = object->find("id");
  if (id == object->end() || !id->is_number_integer()) {
    return malformed("its answer has no whole number \"id\": ");
  }
  reply.kind = Reply::Kind::answer;
  reply.id = id->get<TrialId>();
  reply.result = outcome_from(*object, objectives);
  reply.result.line = text;
  return reply;
}

}  // namespace vbo

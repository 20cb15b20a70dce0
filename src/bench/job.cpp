// SPDX-License-Identifier: MIT
#include "bench/job.hpp"

#include <cstdio>
#include <optional>
#include <vector>

#include "core/from_chars.hpp"
#include "optim/options.hpp"

namespace vbo::bench {
namespace {

template <class T>
std::optional<T> number_from(std::string_view text) {
  T value{};
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> numbers_from(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto number = number_from<double>(text.substr(0, comma));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::string as_written(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    std::string text;
    for (const double number : *numbers) {
      text += (text.empty() ? "" : ",") + vbo::to_string(Value{number});
    }
    return text;
  }
  if (const auto* number = std::get_if<double>(&value)) return vbo::to_string(Value{*number});
  return vbo::to_string(value);
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

// Letters, digits and . _ = , - stay; the separators of a spec get a harmless sign of their own;
// everything else becomes %XX.
std::string file_safe(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '=' || c == ',' || c == '-';
    if (plain) {
      safe += c;
    } else if (c == '?') {
      safe += '@';
    } else if (c == '&') {
      safe += '+';
    } else {
      char hex[8];
      std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned char>(c));
      safe += hex;
    }
  }
  return safe;
}

}  // namespace

OptionValue parse_option_value(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto whole = number_from<std::int64_t>(text)) return *whole;
  if (const auto number = number_from<double>(text)) return *number;
  if (auto numbers = numbers_from(text)) return *std::move(numbers);
  return std::string(text);
}

Result<MethodSpec> parse_method(std::string_view text) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::invalid_input, "method \"" + std::string(text) + "\": " + what +
                                               "; expected a form like vbo?beta=0.5&critics=4"};
  };
  const std::size_t mark = text.find('?');
  MethodSpec spec{.name = std::string(text.substr(0, mark)), .settings = {}};
  if (spec.name.empty()) return wrong("the name is missing");
  if (mark == std::string_view::npos) return spec;
  std::string_view rest = text.substr(mark + 1);
  while (true) {
    const std::size_t end = rest.find('&');
    const std::string_view setting = rest.substr(0, end);
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == setting.size()) {
      return wrong("\"" + std::string(setting) + "\" is not of the form option=value");
    }
    const std::string option(setting.substr(0, equals));
    if (!spec.settings.emplace(option, parse_option_value(setting.substr(equals + 1))).second) {
      return wrong("option \"" + option + "\" is given twice");
    }
    if (end == std::string_view::npos) return spec;
    rest.remove_prefix(end + 1);
  }
}

std::string to_string(const MethodSpec& spec) {
  std::string text = spec.name;
  char separator = '?';
  for (const auto& [option, value] : spec.settings) {
    text += separator + option + "=" + as_written(value);
    separator = '&';
  }
  return text;
}

std::string file_stem(const Job& job) {
  const std::string names = file_safe(job.task) + "--" + file_safe(job.method);
  const std::string numbers = "--b" + std::to_string(job.batch) + "-r" +
                              std::to_string(job.rounds) + "-i" +
                              std::to_string(job.initial_rounds) + "-s" + std::to_string(job.seed);
  constexpr std::size_t longest = 150;
  if (names.size() <= longest) return names + numbers;
  char hash[20];
  std::snprintf(hash, sizeof hash, "~%016llx", static_cast<unsigned long long>(fnv1a(names)));
  return names.substr(0, longest) + hash + numbers;
}

}  // namespace vbo::bench

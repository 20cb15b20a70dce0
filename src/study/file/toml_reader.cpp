// SPDX-License-Identifier: MIT
#include "study/file/toml_reader.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "core/spelling.hpp"
#include "vbo/space.hpp"

namespace vbo {
namespace {

constexpr std::size_t kShownLength = 60;

std::string bounds_text(std::int64_t low, std::int64_t high) {
  return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

// Arrays and tables by ourselves: toml++ first guesses how wide they are, and makes an unsigned
// number of the logarithm of 0.1 for it.
void write(std::ostringstream& out, const toml::node& node) {
  const char* before = " ";
  const auto next = [&] { out << std::exchange(before, ", "); };
  const auto enough = [&] { return out.tellp() > static_cast<std::streamoff>(kShownLength); };
  if (const toml::array* array = node.as_array()) {
    out << '[';
    for (auto item = array->begin(); item != array->end() && !enough(); ++item) {
      next();
      write(out, *item);
    }
    out << (array->empty() ? "]" : " ]");
  } else if (const toml::table* table = node.as_table()) {
    out << '{';
    for (auto item = table->begin(); item != table->end() && !enough(); ++item) {
      next();
      out << item->first.str() << " = ";
      write(out, item->second);
    }
    out << (table->empty() ? "}" : " }");
  } else {
    node.visit([&](const auto& value) {
      if constexpr (toml::is_floating_point<decltype(value)>) {
        out << to_string(Value(value.get()));  // as it was written, not to seventeen digits
      } else if constexpr (!toml::is_array<decltype(value)> && !toml::is_table<decltype(value)>) {
        out << value;
      }
    });
  }
}

}  // namespace

std::string toml_text(const toml::node& node) {
  std::ostringstream out;
  write(out, node);
  std::string text = out.str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kShownLength) text = text.substr(0, kShownLength) + "...";
  return text;
}

void TomlErrors::add(const toml::node* where, const TomlField& field, const std::string& problem) {
  add(where, field.path, Error{ErrorKind::invalid_input, field.shown + ": " + problem});
}

void TomlErrors::add_found(const toml::node& where, const TomlField& field,
                           const std::string& expected) {
  add(&where, field, "found " + toml_text(where) + ", expected " + expected);
}

void TomlErrors::add(const toml::node* where, const std::string& path, const Error& error) {
  if (first_) return;
  const auto line = where ? static_cast<int>(where->source().begin.line) : 0;
  first_ =
      Error{error.kind, file_ + (line ? ":" + std::to_string(line) : "") + ": " + error.message,
            path, line};
}

TomlTable::TomlTable(const toml::table& table, TomlField prefix, std::vector<std::string> known,
                     TomlErrors& errors)
    : table_(table), prefix_(std::move(prefix)), errors_(errors) {
  if (known.empty()) return;
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    errors_.add(&node, field(name), "unknown key" + suggestion(name, known));
  }
}

TomlField TomlTable::field(std::string_view key) const {
  const std::string name(key);
  if (prefix_.path.empty()) return name;
  return {prefix_.shown + "." + name, prefix_.path + "." + name};
}

void TomlTable::missing(std::string_view key, std::string_view expected) {
  errors_.add(&table_, field(key), "missing, expected " + std::string(expected));
}

std::optional<std::string> TomlTable::text(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  auto value = node->value_exact<std::string>();
  if (!value || value->empty()) {
    errors_.add_found(*node, field(key), "a text in quotes");
    return std::nullopt;
  }
  return value;
}

std::optional<bool> TomlTable::flag(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<bool>();
  if (!value) errors_.add_found(*node, field(key), "true or false");
  return value;
}

std::optional<std::int64_t> TomlTable::whole(std::string_view key, std::int64_t low,
                                             std::int64_t high) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < low || *value > high) {
    errors_.add_found(*node, field(key), bounds_text(low, high));
    return std::nullopt;
  }
  return value;
}

std::optional<double> TomlTable::number(std::string_view key, bool (*accepts)(double),
                                        std::string_view expected) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !accepts(*value)) {
    errors_.add_found(*node, field(key), std::string(expected));
    return std::nullopt;
  }
  return value;
}

std::optional<double> TomlTable::finite(std::string_view key) {
  return number(
      key, [](double x) { return std::isfinite(x); }, "a finite number");
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key,
                                                         std::string_view expected) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const toml::array* array = node->as_array();
  std::vector<std::string> values;
  if (array) {
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) {
        errors_.add_found(element, field(key), std::string(expected));
        return std::nullopt;
      }
      values.push_back(*value);
    }
  }
  if (values.empty()) {
    errors_.add_found(*node, field(key), std::string(expected));
    return std::nullopt;
  }
  return values;
}

}  // namespace vbo

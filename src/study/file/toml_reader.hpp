// SPDX-License-Identifier: MIT
// Reads typed values out of one TOML table and keeps the first thing that is wrong with it, as one
// line with file, line, field, what was found and what would be right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/toml.hpp"
#include "vbo/error.hpp"

namespace vbo {

// A place in the file, as a person reads it (parameter "x".low) and as Error::field has it
// (parameter.x.low).
struct TomlField {
  std::string shown;
  std::string path;
  TomlField(std::string text) : shown(text), path(std::move(text)) {}  // where both are the same
  TomlField(const char* text) : TomlField(std::string(text)) {}
  TomlField(std::string text, std::string field) : shown(std::move(text)), path(std::move(field)) {}
};

// The first error of a whole file.
class TomlErrors {
 public:
  explicit TomlErrors(std::string file) : file_(std::move(file)) {}

  // Without a node (or one without a place) the line is left out.
  void add(const toml::node* where, const TomlField& field, const std::string& problem);
  void add_found(const toml::node& where, const TomlField& field, const std::string& expected);
  // An error whose message names already what it concerns.
  void add(const toml::node* where, const std::string& path, const Error& error);
  bool any() const { return first_.has_value(); }
  const Error& first() const { return *first_; }

 private:
  std::string file_;
  std::optional<Error> first_;
};

class TomlTable {
 public:
  // Complains about keys that are not `known`; an empty list allows all.
  TomlTable(const toml::table& table, TomlField prefix, std::vector<std::string> known,
            TomlErrors& errors);

  const toml::table& table() const { return table_; }
  const toml::node* find(std::string_view key) const { return table_.get(key); }
  TomlField field(std::string_view key) const;

  std::optional<std::string> text(std::string_view key);  // not empty
  std::optional<bool> flag(std::string_view key);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t low, std::int64_t high);
  // `expected` says what would be right when it is not a number or `accepts` refuses it.
  std::optional<double> number(std::string_view key, bool (*accepts)(double),
                               std::string_view expected);
  std::optional<double> finite(std::string_view key);
  std::optional<std::vector<std::string>> texts(std::string_view key, std::string_view expected);

  void missing(std::string_view key, std::string_view expected);

 private:
  const toml::table& table_;
  TomlField prefix_;
  TomlErrors& errors_;
};

// The node as a person would write it, shortened.
std::string toml_text(const toml::node& node);

}  // namespace vbo

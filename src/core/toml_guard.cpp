// SPDX-License-Identifier: MIT
#include "core/toml_guard.hpp"

#include <cstddef>
#include <string>

namespace vbo {
namespace {

constexpr int kDeepestNesting = 32;        // of arrays and inline tables
constexpr int kMostKeyParts = 16;          // of a.b.c
constexpr std::size_t kLongestKey = 1024;  // bytes between two separators, outside of strings

class Guard {
 public:
  explicit Guard(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = begin_ = 3;  // byte order mark
  }

  Result<void> check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (at_ > begin_ &&
            std::string_view(" \t\r\n=,.[{").find(text_[at_ - 1]) == std::string_view::npos) {
          return wrong("found a quote inside a word, expected a text in quotes to stand alone");
        }
        fresh_ = false;
        before_ = c;
        skip_string(c);
        continue;
      }
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        continue;
      }
      if (static_cast<unsigned char>(c) >= 0x80U) {
        return wrong("found a character that is not ASCII, expected it only in texts in quotes");
      }
      if ((c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f') {
        return wrong("found a control character, expected it only as \\uXXXX in texts in quotes");
      }
      if (c == '[' && fresh_ && depth_ == 0 && !is_named_table()) {
        return wrong("found a table without a name, expected [name] or [[name]]");
      }
      if (c == ',' && (before_ == '[' || before_ == ',' || before_ == '{')) {
        return wrong("found a comma without a value before it");
      }
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') before_ = c;
      fresh_ = c == '\n' || (fresh_ && (c == ' ' || c == '\t'));
      if (c == '[' || c == '{') ++depth_;
      if (c == ']' || c == '}') --depth_;
      if (depth_ > kDeepestNesting) {
        return wrong("found brackets nested deeper than " + std::to_string(kDeepestNesting) +
                     " levels");
      }
      if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) {
        dots_ = 0;
        length_ = 0;
      } else {
        dots_ += c == '.';
        ++length_;
      }
      if (dots_ >= kMostKeyParts) {
        return wrong("found a key of more than " + std::to_string(kMostKeyParts) + " parts");
      }
      if (length_ > kLongestKey) {
        return wrong("found a word longer than " + std::to_string(kLongestKey) +
                     " characters outside of quotes");
      }
      if (c == '\n') ++line_;
      ++at_;
    }
    return {};
  }

 private:
  // Basic and literal strings, on one line or, between three quotes, on several. An unclosed one
  // ends with its line: the parser will say so.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multiline = text_.substr(at_).starts_with(triple);
    at_ += multiline ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        if (!multiline) return;
        ++line_;
      }
      if (quote == '"' && text_[at_] == '\\') {
        at_ += at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
        continue;
      }
      if (multiline ? text_.substr(at_).starts_with(triple) : text_[at_] == quote) {
        at_ += multiline ? 3 : 1;
        // A text between three quotes may end in one or two of them.
        for (int i = 0; multiline && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
      ++at_;
    }
  }

  // At the first bracket of a header. The parser takes what follows for a key without looking.
  bool is_named_table() const {
    std::size_t at = at_ + 1;
    if (at < text_.size() && text_[at] == '[') ++at;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    if (at == text_.size()) return false;
    const char c = text_[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '"' || c == '\'';
  }

  Error wrong(std::string problem) const {
    return {ErrorKind::invalid_input, "not a study file: " + std::move(problem), "", line_};
  }

  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  char before_ = '\0';      // the last character that is no space and in no comment
  bool fresh_ = true;       // only spaces since the line began
  int dots_ = 0;            // since the last separator
  std::size_t length_ = 0;  // ... and characters
};

}  // namespace

Result<void> guard_toml(std::string_view text) { return Guard(text).check(); }

}  // namespace vbo

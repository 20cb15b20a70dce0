// SPDX-License-Identifier: MIT
// A regular expression with one group, for the lines that programs print: as in Python or
// JavaScript, without back-references and look-around. Matching takes time in proportion to the
// text and never recurses, whatever the text is (std::regex needs stack for every character).
// Immutable once made.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"

namespace vbo::core {

inline constexpr std::size_t kLongestPattern = 1024;               // bytes
inline constexpr std::size_t kLongestLine = std::size_t{1} << 16;  // only its end is looked at

class Pattern {
 public:
  // . [a-z] [^,] \d \D \s \S \w \W \b \B ^ $ ( ) (?: ) | * + ? {2} {2,} {2,5}, *? and so on. The
  // error names the column, and what is wrong there.
  static Result<Pattern> make(std::string_view text);

  struct Match {
    std::string_view group;  // what stands in ( )
    std::string_view line;
  };
  // The last match in the last line that has one; matches do not reach beyond a line, and those
  // whose group is empty do not count.
  std::optional<Match> last_in(std::string_view text) const;

  enum class Op : std::uint8_t { set, split, jump, open, close, begin, end, word, no_word, done };
  // Targets are relative, so that code can be copied; a split prefers `first`.
  struct Instruction {
    Op op;
    int first = 0, second = 0;  // of a set: its index
  };
  using Set = std::bitset<256>;

 private:
  friend class PatternParser;
  std::optional<std::string_view> last_in_line(std::string_view line) const;

  std::vector<Instruction> code_;
  std::vector<Set> sets_;
  std::string literal_;  // a text that every match contains; may be empty
};

}  // namespace vbo::core

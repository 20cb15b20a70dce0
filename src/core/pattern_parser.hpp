// SPDX-License-Identifier: MIT
// From the text of a Pattern to its program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pattern.hpp"

namespace vbo::core {

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}
  Result<Pattern> parse();

 private:
  using Code = std::vector<Pattern::Instruction>;
  using Set = Pattern::Set;
  struct Count {
    int least = 1, most = 1;  // most < 0: any number
    bool greedy = true;
  };

  // Each leaves an error behind when something is wrong; its result is of no use then.
  Code alternatives(int depth);
  Code sequence(int depth);
  Code atom(int depth);
  Code group(int depth);
  Code escape();
  Set set_in_brackets();
  // The characters of \d, \s, \w and their opposites; nothing for another letter.
  static std::optional<Set> class_of(char letter);
  // \t, \. and the like; an error for a letter that means nothing.
  char escaped_character();
  std::optional<Count> count();
  std::optional<int> number();
  Code repeated(const Code& code, const Count& count);
  Code of_set(const Set& set);

  void fail(std::string what);
  bool at_end() const { return at_ >= text_.size(); }
  char next() const { return text_[at_]; }
  bool take(char c);

  std::string_view text_;
  std::size_t at_ = 0;
  int groups_ = 0;
  Pattern made_;
  std::optional<char> plain_;  // the character the last atom was, if it was one
  std::optional<Error> error_;
};

}  // namespace vbo::core

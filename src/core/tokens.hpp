// SPDX-License-Identifier: MIT
// The words of a constraint's text; see expression.hpp for what they may be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"

namespace vbo::constraint {

struct Token {
  enum class Type { end, number, word, name, text, symbol };
  Type type = Type::end;
  std::string text;
  double number = 0.0;
  std::size_t column = 1;  // of its first character, from 1
};

// Thrown while reading, and caught before it leaves Expression::parse.
struct Fault {
  Error error;
};

[[noreturn]] void fail(std::size_t column, const std::string& problem);

// The last one is the end. Throws a Fault.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace vbo::constraint

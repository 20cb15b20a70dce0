// SPDX-License-Identifier: MIT
#include "core/tokens.hpp"

#include <cctype>
#include <cmath>

#include "core/from_chars.hpp"

namespace vbo::constraint {
namespace {

bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word_part(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }

}  // namespace

void fail(std::size_t column, const std::string& problem) {
  throw Fault{{ErrorKind::invalid_input, "column " + std::to_string(column) + ": " + problem}};
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    Token token;
    token.column = at + 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    if ((c >= '0' && c <= '9') || c == '.') {
      const auto [end, status] =
          from_chars(text.data() + at, text.data() + text.size(), token.number);
      if (status != std::errc{} || !std::isfinite(token.number)) {
        fail(at + 1, "found something that is not a finite number");
      }
      token.type = Token::Type::number;
      token.text = text.substr(at, static_cast<std::size_t>(end - text.data()) - at);
    } else if (is_word_start(c)) {
      std::size_t end = at;
      while (end < text.size() && is_word_part(text[end])) ++end;
      token.type = Token::Type::word;
      token.text = text.substr(at, end - at);
    } else if (c == '"' || c == '\'' || c == '`') {
      const std::size_t end = text.find(c, at + 1);
      if (end == std::string_view::npos)
        fail(at + 1, "found " + std::string(1, c) + " without its end");
      token.type = c == '`' ? Token::Type::name : Token::Type::text;
      token.text = text.substr(at + 1, end - at - 1);
      at = end + 1;
      tokens.push_back(std::move(token));
      continue;
    } else {
      token.type = Token::Type::symbol;
      const std::string_view two = text.substr(at, 2);
      const bool pair = two == "<=" || two == ">=" || two == "==" || two == "!=";
      token.text = pair ? two : text.substr(at, 1);
      if (!pair && std::string_view("+-*/^()<>=,").find(c) == std::string_view::npos) {
        const bool plain =
            static_cast<unsigned char>(c) >= 32U && static_cast<unsigned char>(c) < 127U;
        fail(at + 1, plain ? "found \"" + std::string(1, c) + "\", which means nothing here"
                           : "found a character that means nothing here");
      }
    }
    at += token.text.size();
    tokens.push_back(std::move(token));
  }
  Token end;
  end.column = text.size() + 1;
  tokens.push_back(end);
  return tokens;
}

}  // namespace vbo::constraint

// SPDX-License-Identifier: MIT
#include "core/one_line.hpp"

#include <cstddef>
#include <cstdint>

namespace vbo {
namespace {

constexpr std::size_t kLongestWord = 200, kWordEnd = 40;
constexpr std::size_t kLongestMessage = 4000, kMessageEnd = 400;

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

// Bytes of the character that begins here; 0 when it is not valid UTF-8.
std::size_t character_at(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const unsigned next = byte_at(text, i + k);
    if ((next & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (next & 0x3FU);
  }
  const bool overlong = code < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
  return overlong || code > 0x10FFFFU || (code >= 0xD800U && code <= 0xDFFFU) ? 0 : length;
}

// Line separators of Unicode and the second set of control characters: what a terminal may obey.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20U || first == 0x7FU;
  return (character.size() == 2 && first == 0xC2U && byte_at(character, 1) < 0xA0U) ||
         character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9";
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned byte = byte_at(bytes, i);
    text += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
  }
  return text;
}

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The beginning and the end of a valid text, cut between characters.
std::string shortened(std::string_view text, std::size_t longest, std::size_t end) {
  if (text.size() <= longest) return std::string(text);
  std::size_t head = longest - end - 3, tail = text.size() - end;
  while (head > 0 && is_inside_character(text[head])) --head;
  while (tail < text.size() && is_inside_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

}  // namespace

std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  return std::string(text.substr(text.rfind('\n') + 1));  // npos + 1 == 0
}

std::string one_line(std::string_view text) {
  std::string line, word;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_at(text, i);
    const std::string_view character = text.substr(i, length == 0 ? 1 : length);
    i += character.size();
    if (character == " " || character == "\n" || character == "\r" || character == "\t") {
      line += shortened(word, kLongestWord, kWordEnd) + " ";
      word.clear();
    } else {
      word +=
          length == 0 || is_control(character) ? hexadecimal(character) : std::string(character);
    }
  }
  return shortened(line + shortened(word, kLongestWord, kWordEnd), kLongestMessage, kMessageEnd);
}

}  // namespace vbo

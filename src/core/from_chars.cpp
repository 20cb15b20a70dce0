// SPDX-License-Identifier: MIT
#include "core/from_chars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <version>

namespace vbo {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the text begins with this word, in small or capital letters.
bool begins_with(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((text[i] | 0x20) != word[i]) return false;
  }
  return true;
}

// How many characters are a decimal number without a sign; 0: none.
std::size_t length_of_number(std::string_view text) {
  std::size_t at = 0, digits = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) ++digits;
  }
  if (digits == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t from = at + 1;
    if (from < text.size() && (text[from] == '+' || text[from] == '-')) ++from;
    std::size_t end = from;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > from) at = end;
  }
  return at;
}

}  // namespace

std::from_chars_result from_chars_by_stream(const char* first, const char* last, double& value) {
  std::string_view text(first, static_cast<std::size_t>(last - first));
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (sign < 0.0) text.remove_prefix(1);
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (!begins_with(text, word)) continue;
    value = std::copysign(word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                        : std::numeric_limits<double>::infinity(),
                          sign);
    return {text.data() + word.size(), std::errc()};
  }
  const std::size_t length = length_of_number(text);
  if (length == 0) return {first, std::errc::invalid_argument};
  std::istringstream in(std::string(text.substr(0, length)));
  in.imbue(std::locale::classic());
  double found = 0.0;
  in >> found;
  const char* const end = text.data() + length;
  const std::string_view mantissa = text.substr(0, std::min(length, text.find_first_of("eE")));
  const bool too_small =
      found == 0.0 && mantissa.find_first_of("123456789") != std::string_view::npos;
  const bool too_large = in.fail() && std::abs(found) >= 1.0;
  if (too_small || too_large) return {end, std::errc::result_out_of_range};
  value = sign * found;
  return {end, std::errc()};
}

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value);
#else
  return from_chars_by_stream(first, last, value);
#endif
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "core/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vbo {
namespace {

// Edits up to which a word counts as misspelt: in a short one two make another word.
std::size_t typing_errors(std::string_view word) { return word.size() < 5 ? 1 : 2; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto distance = [&](const std::string& c) { return edit_distance(word, c); };
  const auto closest = std::min_element(
      candidates.begin(), candidates.end(),
      [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
  if (closest != candidates.end() && distance(*closest) <= typing_errors(word)) {
    return ", did you mean \"" + *closest + "\"?";
  }
  std::string text = ", expected one of";
  for (const std::string& candidate : candidates) text += " " + candidate;
  return text;
}

}  // namespace vbo

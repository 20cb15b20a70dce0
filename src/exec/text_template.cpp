// SPDX-License-Identifier: MIT
#include "exec/text_template.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace vbo::exec {
namespace {

constexpr std::string_view kSeed = "seed";
constexpr std::string_view kStudyFolder = "study_dir";

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A name in braces at the start of the text: {name}, {{name}} or {{{name}}}.
struct Braced {
  std::string_view name;
  std::size_t depth = 0;   // braces on each side
  std::size_t length = 0;  // of the whole match
};

// A plain word, or the name of a parameter, which may have any characters but is not longer than so
// many bytes: every text takes time in proportion to its length.
std::optional<Braced> braced_at_start(std::string_view text, const Space& space,
                                      std::size_t longest) {
  for (std::size_t depth = 3; depth >= 1; --depth) {
    const std::string opening(depth, '{');
    const std::string closing(depth, '}');
    if (!text.starts_with(opening)) continue;
    std::size_t end = depth;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    const bool is_word = end > depth && !std::isdigit(static_cast<unsigned char>(text[depth]));
    if (is_word && text.substr(end).starts_with(closing)) {
      return Braced{text.substr(depth, end - depth), depth, end + depth};
    }
    end = text.substr(0, 2 * depth + longest).find(closing, depth);
    if (end == std::string_view::npos) continue;
    const std::string_view name = text.substr(depth, end - depth);
    if (space.index_of(name)) return Braced{name, depth, end + depth};
  }
  return std::nullopt;
}

Error unknown_placeholder(std::string_view name, const Space& space, int line) {
  std::string message =
      "placeholder {" + std::string(name) + "} names no parameter, expected one of";
  for (const Parameter& p : space.parameters()) message += " {" + p.name + "}";
  message += " (write {{" + std::string(name) + "}} for plain text)";
  return {ErrorKind::invalid_input, message, "command", line};
}

}  // namespace

Result<TextTemplate> TextTemplate::make(std::string_view text, const Space& space) {
  TextTemplate made;
  std::size_t longest = 0;
  for (const Parameter& p : space.parameters()) longest = std::max(longest, p.name.size());
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) made.pieces_.emplace_back(std::exchange(literal, {}));
  };
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t plain = std::min(rest.find('{'), rest.size());
    literal += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const std::optional<Braced> match = braced_at_start(rest, space, longest);
    if (!match) {
      literal += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    if (match->depth == 2) {
      literal += "{" + std::string(match->name) + "}";
      rest.remove_prefix(match->length);
      continue;
    }
    const std::optional<std::size_t> index = space.index_of(match->name);
    const bool is_known = index || match->name == kSeed || match->name == kStudyFolder;
    if (!index && literal.ends_with('$')) {  // ${HOME} belongs to a shell
      literal += rest.substr(0, match->length);
      rest.remove_prefix(match->length);
      continue;
    }
    if (!is_known) {
      const auto at = static_cast<std::ptrdiff_t>(text.size() - rest.size());
      const auto lines = std::count(text.begin(), text.begin() + at, '\n');
      return unknown_placeholder(match->name, space, static_cast<int>(lines) + 1);
    }
    if (match->depth == 3) literal += '{';
    flush();
    if (index) {
      made.pieces_.emplace_back(*index);
    } else {
      made.pieces_.emplace_back(match->name == kSeed ? Other::seed : Other::study_dir);
    }
    if (match->depth == 3) literal += '}';
    rest.remove_prefix(match->length);
  }
  flush();
  return made;
}

std::string TextTemplate::expand(const Point& point, const Surroundings& surroundings) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    if (const auto* index = std::get_if<std::size_t>(&piece)) {
      text += to_string(point[*index]);
    } else if (const auto* literal = std::get_if<std::string>(&piece)) {
      text += *literal;
    } else if (std::get<Other>(piece) == Other::seed) {
      text += std::to_string(surroundings.seed);
    } else {
      text += surroundings.study_dir;
    }
  }
  return text;
}

std::vector<std::size_t> TextTemplate::parameters() const {
  std::vector<std::size_t> indices;
  for (const Piece& piece : pieces_) {
    if (const auto* index = std::get_if<std::size_t>(&piece)) indices.push_back(*index);
  }
  return indices;
}

}  // namespace vbo::exec

// SPDX-License-Identifier: MIT
#include "exec/command_template.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace vbo {
namespace {

constexpr std::string_view kSeed = "seed";

bool is_name(std::string_view text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part);
}

// A name in braces at the start of the text: {name}, {{name}} or {{{name}}}.
struct Braced {
  std::string_view name;
  std::size_t depth = 0;   // braces on each side
  std::size_t length = 0;  // of the whole match
};

std::optional<Braced> braced_at_start(std::string_view text, const Space& space) {
  for (std::size_t depth = 3; depth >= 1; --depth) {
    const std::string opening(depth, '{');
    const std::string closing(depth, '}');
    if (!text.starts_with(opening)) continue;
    const std::size_t end = text.find(closing, depth);
    if (end == std::string_view::npos) continue;
    const std::string_view name = text.substr(depth, end - depth);
    if (is_name(name) || space.index_of(name)) return Braced{name, depth, end + depth};
  }
  return std::nullopt;
}

Error unknown_placeholder(std::string_view name, const Space& space) {
  std::string message =
      "placeholder {" + std::string(name) + "} names no parameter, expected one of";
  for (const Parameter& p : space.parameters()) message += " {" + p.name + "}";
  message += " (write {{" + std::string(name) + "}} for plain text)";
  return {ErrorKind::invalid_input, message, "command"};
}

}  // namespace

Result<CommandTemplate> CommandTemplate::make(const std::vector<std::string>& arguments,
                                              const Space& space) {
  CommandTemplate made;
  for (const std::string& argument : arguments) {
    std::vector<Piece> pieces;
    std::string literal;
    const auto flush = [&] {
      if (!literal.empty()) pieces.emplace_back(std::exchange(literal, {}));
    };
    for (std::string_view rest = argument; !rest.empty();) {
      const std::optional<Braced> match =
          rest[0] == '{' ? braced_at_start(rest, space) : std::nullopt;
      if (!match) {
        literal += rest[0];
        rest.remove_prefix(1);
        continue;
      }
      if (match->depth == 2) {
        literal += "{" + std::string(match->name) + "}";
      } else {
        const std::optional<std::size_t> index = space.index_of(match->name);
        if (!index && literal.ends_with('$')) {  // ${HOME} belongs to a shell
          literal += rest.substr(0, match->length);
          rest.remove_prefix(match->length);
          continue;
        }
        if (!index && match->name != kSeed) return unknown_placeholder(match->name, space);
        if (match->depth == 3) literal += '{';
        flush();
        if (index) {
          pieces.emplace_back(*index);
        } else {
          pieces.emplace_back(Seed{});
        }
        if (match->depth == 3) literal += '}';
      }
      rest.remove_prefix(match->length);
    }
    flush();
    made.arguments_.push_back(std::move(pieces));
  }
  return made;
}

std::vector<std::string> CommandTemplate::expand(const Point& point, std::int64_t seed) const {
  std::vector<std::string> arguments;
  arguments.reserve(arguments_.size());
  for (const std::vector<Piece>& pieces : arguments_) {
    std::string argument;
    for (const Piece& piece : pieces) {
      if (const auto* index = std::get_if<std::size_t>(&piece)) {
        argument += to_string(point[*index]);
      } else {
        const auto* text = std::get_if<std::string>(&piece);
        argument += text ? *text : std::to_string(seed);
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string shell_quoted(std::string_view argument) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), plain)) {
    return std::string(argument);
  }
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "exec/command_template.hpp"

#include <algorithm>
#include <cctype>

namespace vbo {

Result<CommandTemplate> CommandTemplate::make(const std::vector<std::string>& arguments,
                                              const Space& space) {
  CommandTemplate made;
  for (const std::string& argument : arguments) {
    Result<exec::TextTemplate> text = exec::TextTemplate::make(argument, space);
    if (!text) return text.error();
    made.arguments_.push_back(std::move(*text));
  }
  return made;
}

std::vector<std::string> CommandTemplate::expand(const Point& point,
                                                 const exec::Surroundings& surroundings) const {
  std::vector<std::string> arguments;
  arguments.reserve(arguments_.size());
  for (const exec::TextTemplate& text : arguments_) {
    arguments.push_back(text.expand(point, surroundings));
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

// SPDX-License-Identifier: MIT
// The command line of an evaluator, with {name} where a parameter's value goes, and {seed} where
// that of the evaluation goes unless a parameter has this name. {{name}} stands for
// the text {name} itself, {{{name}}} for the value in braces; any other brace is plain text, so
// that small programs can be written straight into an argument. Immutable once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/space.hpp"

namespace vbo {

class CommandTemplate {
 public:
  CommandTemplate() = default;
  // The error names the placeholder that is no parameter and the closest one that is.
  static Result<CommandTemplate> make(const std::vector<std::string>& arguments,
                                      const Space& space);

  // One argument per template argument. REQUIRES: point belongs to the space given to make().
  std::vector<std::string> expand(const Point& point, std::int64_t seed = 0) const;

 private:
  struct Seed {};
  using Piece = std::variant<std::string, std::size_t, Seed>;  // text, the index of a parameter
  std::vector<std::vector<Piece>> arguments_;
};

// The argument as a person would type it in a shell, for display only.
std::string shell_quoted(std::string_view argument);

}  // namespace vbo

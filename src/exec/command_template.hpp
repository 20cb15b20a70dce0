// SPDX-License-Identifier: MIT
// The command line of an evaluator, each argument a TextTemplate. Immutable once made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exec/text_template.hpp"
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
  std::vector<std::string> expand(const Point& point,
                                  const exec::Surroundings& surroundings = {}) const;
  const std::vector<exec::TextTemplate>& arguments() const { return arguments_; }

 private:
  std::vector<exec::TextTemplate> arguments_;
};

// The argument as a person would type it in a shell, for display only.
std::string shell_quoted(std::string_view argument);

}  // namespace vbo

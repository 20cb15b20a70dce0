// SPDX-License-Identifier: MIT
// A text with {name} where a parameter's value goes: an argument of a command, or a file. {seed} is
// the seed of the evaluation and {study_dir} the folder of the study, unless a parameter has that
// name. {{name}} stands for the text {name} itself, {{{name}}} for the value in braces; any other
// brace is plain text, so that small programs can be written straight into an argument. Immutable
// once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/space.hpp"

namespace vbo::exec {

// What is not the point's.
struct Surroundings {
  std::int64_t seed = 0;
  std::string study_dir;  // as an absolute path
};

class TextTemplate {
 public:
  // The error names the placeholder that is no parameter, those that are, and the line.
  static Result<TextTemplate> make(std::string_view text, const Space& space);

  // REQUIRES: point belongs to the space given to make().
  std::string expand(const Point& point, const Surroundings& surroundings) const;
  // By their index in the space.
  std::vector<std::size_t> parameters() const;

 private:
  enum class Other { seed, study_dir };
  using Piece = std::variant<std::string, std::size_t, Other>;  // text, the index of a parameter
  std::vector<Piece> pieces_;
};

}  // namespace vbo::exec

// SPDX-License-Identifier: MIT
// The search space: named parameters with their bounds or choices, in the user's own units.
// A Space is checked when it is made and immutable afterwards, so it can be shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vbo/error.hpp"

namespace vbo {

enum class ParameterKind { real, integer, categorical };

// One value of one parameter: double for real, int64 for integer, the choice's text for
// categorical.
using Value = std::variant<double, std::int64_t, std::string>;

// One value per parameter, in the order of the Space.
using Point = std::vector<Value>;

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  double low = 0.0;   // real and integer: inclusive bounds; low == high fixes the parameter
  double high = 1.0;  // integer bounds are whole numbers within +-2^53
  bool log = false;   // real and integer: search in the logarithm; needs low > 0
  std::vector<std::string> choices;  // categorical: at least one, all different

  static Parameter real(std::string name, double low, double high, bool log = false);
  static Parameter integer(std::string name, std::int64_t low, std::int64_t high, bool log = false);
  static Parameter categorical(std::string name, std::vector<std::string> choices);

  bool is_fixed() const;
  bool operator==(const Parameter&) const = default;
};

class Space {
 public:
  Space() = default;  // no parameters; only make() gives a usable one
  // The error names the parameter, what was found and what would be right.
  static Result<Space> make(std::vector<Parameter> parameters);

  std::size_t size() const { return parameters_.size(); }
  const Parameter& operator[](std::size_t i) const { return parameters_[i]; }
  std::span<const Parameter> parameters() const { return parameters_; }
  std::optional<std::size_t> index_of(std::string_view name) const;

  // A point has one value of the right type per parameter, inside its bounds or choices.
  Result<void> check(const Point& point) const;

  // Number of distinct points; nullopt when a free real parameter makes it infinite or it exceeds
  // 2^53.
  std::optional<double> cardinality() const;

  bool operator==(const Space&) const = default;

 private:
  explicit Space(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {}
  std::vector<Parameter> parameters_;
};

// The value as a person writes it: shortest decimal text that reads back exactly, or the choice.
std::string to_string(const Value& value);

}  // namespace vbo

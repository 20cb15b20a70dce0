// SPDX-License-Identifier: MIT
// The search space: named parameters with their bounds or choices, in the user's own units.
// A Space is checked when it is made and immutable afterwards, so it can be shared between threads.
// Stability: a minor version of 0.x may change it.
// Threads: a Space is immutable and may be shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vbo/error.hpp"

namespace vbo {

enum class ParameterKind { real, integer, categorical, ordinal };

// One value of one parameter: double for real, int64 for integer, one of the choices, in the type
// it has there, for categorical and ordinal.
using Value = std::variant<double, std::int64_t, std::string, bool>;

// One value per parameter, in the order of the Space.
using Point = std::vector<Value>;
// One value or none per parameter, in the order of the Space: where it has none, anything will do.
using PartialPoint = std::vector<std::optional<Value>>;

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  double low = 0.0;   // real and integer: inclusive bounds; low == high fixes the parameter
  double high = 1.0;  // integer bounds are whole numbers within +-2^53
  bool log = false;   // real and integer: search in the logarithm; needs low > 0
  std::vector<Value> choices;  // categorical and ordinal (in order): at least one, all different
  // real and integer: only low, low + step, low + 2 step, ... up to high, each the double nearest
  // to its decimal (0.3, never 0.30000000000000004); 0 = any value, any integer
  double step = 0.0;

  static Parameter real(std::string name, double low, double high, bool log = false,
                        double step = 0.0);
  static Parameter integer(std::string name, std::int64_t low, std::int64_t high, bool log = false,
                           std::int64_t step = 0);
  static Parameter categorical(std::string name, std::vector<Value> choices);
  static Parameter ordinal(std::string name, std::vector<Value> values);

  bool has_choices() const;  // categorical or ordinal
  bool is_fixed() const;
  bool operator==(const Parameter&) const = default;
};

// A measured constraint: what a metric of a result has to keep for the result to be feasible.
struct Limit {
  std::string metric;
  std::optional<double> at_most, at_least;  // at least one of them; at_least <= at_most
  bool operator==(const Limit&) const = default;
};

class Region;  // what the constraints leave of the box; private to the library

class Space {
 public:
  Space() = default;  // no parameters; only make() gives a usable one
  // The error names the parameter, what was found and what would be right. Constraints are
  // expressions over the parameters, "width * layers <= 512" (docs/reference/study-file.md); every
  // point of the space satisfies them all. Constraints that no point satisfies are an error that
  // names them. Limits concern what is measured at a point, so every point of the space may violate
  // them.
  static Result<Space> make(std::vector<Parameter> parameters,
                            std::vector<std::string> constraints = {},
                            std::vector<Limit> limits = {});

  std::size_t size() const { return parameters_.size(); }
  const Parameter& operator[](std::size_t i) const { return parameters_[i]; }
  std::span<const Parameter> parameters() const { return parameters_; }
  std::optional<std::size_t> index_of(std::string_view name) const;

  std::span<const std::string> constraints() const { return constraints_; }
  std::span<const Limit> limits() const { return limits_; }
  const Region* region() const { return region_.get(); }  // null without constraints

  // A point has one value of the right type per parameter, inside its bounds or choices, and
  // satisfies the constraints.
  Result<void> check(const Point& point) const;

  // Number of distinct points, constraints not counted; nullopt when a free real parameter makes it
  // infinite or it exceeds 2^53.
  std::optional<double> cardinality() const;

  bool operator==(const Space& other) const {
    return parameters_ == other.parameters_ && constraints_ == other.constraints_ &&
           limits_ == other.limits_;
  }

 private:
  std::vector<Parameter> parameters_;
  std::vector<std::string> constraints_;
  std::vector<Limit> limits_;
  std::shared_ptr<const Region> region_;
};

// The value as a person writes it: shortest decimal text that reads back exactly, or the
// choice; true and false.
std::string to_string(const Value& value);

}  // namespace vbo

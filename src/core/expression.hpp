// SPDX-License-Identifier: MIT
// A constraint as people write it, "width * layers <= 512", read once and evaluated often.
//   numbers      + - * / ^ ( ), min max abs sqrt log exp, and parameters by name; `in backquotes`
//                when the name is no plain word
//   conditions   <= < >= > == = !=, chained as in 0 <= x < y; and or not; == and != between a
//                parameter with choices and one of them, "adam" or 'adam', 3, true; a parameter
//                whose choices are true and false is a condition itself
// Immutable and safe to share between threads; recursion is bounded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/space.hpp"

namespace vbo {

// sum of coefficient * number of parameter + constant
struct LinearForm {
  std::vector<double> coefficients;  // one per parameter
  double constant = 0.0;
};

class Expression {
 public:
  // Numbers closer than this share of the larger one, or of the largest term of a linear equality,
  // are equal.
  static constexpr double kEqualWithin = 1e-9;

  // The error is "column 9: unknown parameter ..."; columns count characters from 1.
  static Result<Expression> parse(std::string_view text, std::span<const Parameter> parameters);

  // 0 when the point satisfies it, otherwise by how much it does not, in the units of the sides
  // compared. Numbers as an Axis has them, one per parameter.
  double violation(std::span<const double> numbers) const;

  // How far a point that satisfies it is from violating it, in the units of the sides compared;
  // negative where it is violated. Nothing where no inequality of numbers decides: equalities have
  // no room, and choices have no distance.
  std::optional<double> room(std::span<const double> numbers) const;

  // The same where a parameter with choices has the one of this index.
  Expression with_choice(std::size_t parameter, std::size_t index) const;

  // Set when the whole is an equality of two numbers: their difference, which has to be 0.
  const std::optional<LinearForm>& equality() const { return equality_; }
  std::span<const std::size_t> parameters() const { return used_; }

  enum class Kind {
    number,
    parameter,  // leaves
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,  // numbers
    minimum,
    maximum,
    absolute,
    root,
    logarithm,
    exponential,  // functions
    less_equal,
    less,
    equal,
    unequal,
    both,
    either,  // conditions
    is_choice,
    is_not_choice,
    always,
    never,
  };
  struct Node {
    Kind kind = Kind::number;
    int left = -1, right = -1;  // nodes
    double value = 0.0;         // number; index of the choice
    std::size_t parameter = 0;
    std::vector<double> table;  // parameter with choices: their numbers, by index
  };

 private:
  double number(int node, std::span<const double> numbers) const;
  double violation(int node, std::span<const double> numbers) const;
  std::optional<double> room(int node, std::span<const double> numbers) const;

  std::vector<Node> nodes_;
  int root_ = -1;
  std::vector<std::size_t> used_;
  std::optional<LinearForm> equality_;
  double tolerance_ = 0.0;  // of equality_
  friend class ExpressionParser;
};

}  // namespace vbo

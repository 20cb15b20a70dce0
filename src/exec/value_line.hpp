// SPDX-License-Identifier: MIT
// Finds the value in what an evaluator printed, and keeps the end of what it printed within bounds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "vbo/trial.hpp"

namespace vbo {

// The last `limit` bytes of a stream; memory stays below twice that.
class Tail {
 public:
  explicit Tail(std::size_t limit) : limit_(limit) {}
  void append(std::string_view bytes);
  void clear();
  std::string_view text() const;
  bool cut() const { return cut_; }  // the beginning is gone

 private:
  std::size_t limit_;
  std::string bytes_;
  bool cut_ = false;
};

using ValueOrFailure = std::variant<double, Failure>;

// A finite number, or why the line's value is none. nullopt when the line is neither a number nor a
// JSON object with "value". "nan", "inf" and Python's {"value": NaN} count as non-finite values.
std::optional<ValueOrFailure> parse_value_line(std::string_view line);

// The last line of the output that has a value; no_value when none has.
ValueOrFailure find_value(const Tail& output);

// One line from a persistent evaluator.
struct Reply {
  enum class Kind {
    other,      // not a JSON object with "value" or "error": chatter, to be ignored
    answer,     // value or failure for `id`
    malformed,  // meant as an answer but not readable as one
  };
  Kind kind = Kind::other;
  std::optional<TrialId> id;
  ValueOrFailure result;
};
Reply parse_reply(std::string_view line);

}  // namespace vbo

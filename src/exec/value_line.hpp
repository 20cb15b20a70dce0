// SPDX-License-Identifier: MIT
// Finds the value in what an evaluator printed, and keeps the end of what it printed within bounds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

// Decimal text, nan or inf, as C, Python or JSON write them; nullopt when it is anything else.
std::optional<double> parse_number(std::string_view text);

// A finite value with its metrics, or why the line has none. nullopt when the line is neither a
// number nor an object with "value" or "error". "nan", "inf" and 1e999 are values that are not
// finite, as words of C or Python, alone or in JSON. With two objectives or more the line is an
// object with "values" or "error".
std::optional<Outcome> parse_value_line(std::string_view line,
                                        std::span<const Objective> objectives = {});

// The last line of the output that has a value; no_value when none has. When the last line that is
// not empty looks like JSON and has none, nothing before it counts: it was meant to be the answer.
Outcome find_value(const Tail& output, std::span<const Objective> objectives = {});

// One line from a persistent evaluator.
struct Reply {
  enum class Kind {
    other,      // not a JSON object with "value", "values" or "error": chatter, to be ignored
    answer,     // value or failure for `id`
    malformed,  // meant as an answer but not readable as one
  };
  Kind kind = Kind::other;
  std::optional<TrialId> id;
  Outcome result;
};
Reply parse_reply(std::string_view line, std::span<const Objective> objectives = {});

}  // namespace vbo

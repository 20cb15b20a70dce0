// SPDX-License-Identifier: MIT
// What a study optimizes, and what one evaluation came to.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vbo {

using TrialId = std::int64_t;  // 1, 2, 3, ... in the order of suggestion

enum class Goal { minimize, maximize };

// One of the quantities a study optimizes; most studies have one.
struct Objective {
  std::string name = "value";
  Goal goal = Goal::minimize;
  // A value nobody would accept, which the hypervolume of several objectives is measured against.
  std::optional<double> reference = std::nullopt;
  bool operator==(const Objective&) const = default;
};

enum class FailureCause {
  timeout,     // ran longer than allowed
  crash,       // exit code or signal that means failure
  no_program,  // nothing to run: the program cannot be started, or a shell says so (126, 127)
  infeasible,  // exit code 65: the input makes no sense
  temporary,   // exit code 75 more often than retries allow
  no_value,    // ended well but printed no value
  non_finite,  // printed nan or inf
  lost,        // the evaluator or its machine disappeared
  reported,    // a person or an evaluator said so (`vbo tell --fail`, {"error": ...})
};

struct Failure {
  FailureCause cause = FailureCause::crash;
  std::string message;  // one sentence
  bool operator==(const Failure&) const = default;
};

using Metrics = std::map<std::string, double>;  // further measurements, by name

// What an evaluation reported while it was running.
struct Step {
  std::int64_t step = 0;
  std::vector<double> values;  // one per objective
  bool operator==(const Step&) const = default;
};

// What an evaluation came to, retries included: values, or why there are none. The one type for
// this, whoever evaluated: a process, a function, a person.
struct Outcome {
  TrialId id = 0;
  std::vector<double> values;          // one per objective, finite, in the user's own sign
  std::optional<Failure> failure;      // set exactly when there are no values
  Metrics metrics;                     // only beside values
  std::vector<double> standard_error;  // of each value, >= 0; empty = unknown
  std::vector<Step> steps;             // by increasing step
  std::string attributes;              // what else it says: a JSON object; "" = nothing
  bool stopped = false;                // ended early: the values are those of the last step
  double seconds = 0.0;                // wall time of the last attempt
  int attempts = 1;
  std::string stderr_tail;
  std::string line;    // of its output that was read as the answer; "" when there is none
  std::string folder;  // where the files of the evaluation have stayed; "" = nowhere

  static Outcome of(double value);  // failed as non_finite when it is not finite
  static Outcome of(std::vector<double> values);
  static Outcome failed(FailureCause cause, std::string message);

  // The value of the one objective, or of the first; nothing when there are no values.
  std::optional<double> value() const;
};

std::string_view to_string(Goal goal);  // "minimize" | "maximize"
std::string_view to_string(FailureCause cause);
std::optional<Goal> goal_from(std::string_view text);
std::optional<FailureCause> failure_cause_from(std::string_view text);

}  // namespace vbo

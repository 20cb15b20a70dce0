// SPDX-License-Identifier: MIT
// A trial is one evaluation of one suggested point, from the moment it is suggested to its outcome.
// Plain values: copy them freely.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/ledger.hpp"
#include "vbo/space.hpp"

namespace vbo {

using TrialId = std::int64_t;  // 1, 2, 3, ... in the order of suggestion
using EventId = std::int64_t;  // 1, 2, 3, ... over all asks and tells of a study; 0 = not yet

enum class Goal { minimize, maximize };

enum class TrialState {
  waiting,    // suggested and stored, not started
  running,    // being evaluated
  completed,  // has a finite value
  failed,     // has a Failure instead
};

enum class FailureCause {
  timeout,     // ran longer than allowed
  crash,       // exit code or signal that means failure
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

// What an evaluation came to, retries included: a value, or why there is none. The one type for
// this, whoever evaluated: a process, a function, a person.
struct Outcome {
  TrialId id = 0;
  std::optional<double> value;            // finite, in the user's own sign
  std::optional<Failure> failure;         // exactly one of value and failure is set
  std::map<std::string, double> metrics;  // further measurements, by name; only beside a value
  double seconds = 0.0;                   // wall time of the last attempt
  int attempts = 1;
  std::string stderr_tail;

  static Outcome of(double value);  // failed as non_finite when it is not finite
  static Outcome failed(FailureCause cause, std::string message);
};

struct Trial {
  TrialId id = 0;
  Point point;  // as evaluated; see `suggested`
  TrialState state = TrialState::waiting;
  std::optional<double> value;            // completed only
  std::optional<Failure> failure;         // failed only
  double seconds = 0.0;                   // wall time of the last attempt
  int attempts = 0;                       // evaluations started
  std::string stderr_tail;                // end of the evaluator's standard error, bounded
  std::map<std::string, double> metrics;  // further measurements of a completed trial, by name
  Rationale rationale;
  // Seconds since 1970 by the storage's clock; 0 = unknown. No method ever sees them.
  double asked_at = 0.0, started_at = 0.0, finished_at = 0.0;
  std::string worker;    // who evaluates or evaluated it; "" = unknown
  EventId asked_in = 0;  // the ask that suggested it; the same as told_in when nobody did
  EventId told_in = 0;   // the tell that ended it; 0 while open
  // What had been suggested, when something else was really set; that is then `point`.
  std::optional<Point> suggested;
};

// The open trial as the outcome ends it: state, value and metrics or failure, seconds and standard
// error. An outcome without a finite value, or without a metric that a limit needs, ends it as
// failed. `attempts` is left to the caller.
Trial ended_by(Trial trial, Outcome outcome, std::span<const Limit> limits = {});

std::string_view to_string(Goal goal);  // "minimize" | "maximize"
std::string_view to_string(TrialState state);
std::string_view to_string(FailureCause cause);
std::optional<Goal> goal_from(std::string_view text);
std::optional<TrialState> trial_state_from(std::string_view text);
std::optional<FailureCause> failure_cause_from(std::string_view text);

}  // namespace vbo

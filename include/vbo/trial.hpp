// SPDX-License-Identifier: MIT
// A trial is one evaluation of one suggested point, from the moment it is suggested to its outcome.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/ledger.hpp"
#include "vbo/outcome.hpp"
#include "vbo/space.hpp"

namespace vbo {

using EventId = std::int64_t;  // 1, 2, 3, ... over all asks and tells of a study; 0 = not yet

enum class TrialState {
  waiting,    // suggested and stored, not started
  running,    // being evaluated
  completed,  // has values
  failed,     // has a Failure instead
  stopped,    // ended early, with the values of its last step
};

struct Trial {
  TrialId id = 0;
  Point point;  // as evaluated; see `suggested`
  TrialState state = TrialState::waiting;
  // The outcome; see Outcome.
  std::vector<double> values;          // completed and stopped only
  std::optional<Failure> failure;      // failed only
  double seconds = 0.0;                // wall time of the last attempt
  int attempts = 0;                    // evaluations started
  std::string stderr_tail;             // end of the evaluator's standard error, bounded
  Metrics metrics;                     // beside values only
  std::vector<double> standard_error;  // of each value; empty = unknown
  std::vector<Step> steps;             // by increasing step
  std::string attributes;              // a JSON object; "" = nothing. No method ever sees it
  Rationale rationale;
  // Seconds since 1970 by the storage's clock; 0 = unknown. No method ever sees them.
  double asked_at = 0.0, started_at = 0.0, finished_at = 0.0;
  std::string worker;    // who evaluates or evaluated it; "" = unknown
  EventId asked_in = 0;  // the ask that suggested it; the same as told_in when nobody did
  EventId told_in = 0;   // the tell that ended it; 0 while open
  // What had been suggested, when something else was really set; that is then `point`.
  std::optional<Point> suggested;

  // The value of the one objective, or of the first; nothing without a result.
  std::optional<double> value() const;
  bool has_ended() const { return state != TrialState::waiting && state != TrialState::running; }
};

// A point that was evaluated elsewhere, and what came of it; the outcome's id is not looked at.
struct Evaluated {
  Point point;
  Outcome outcome;
  bool as_measured = false;  // any value of each parameter's range, steps and constraints aside
};

// Results of points nobody suggested, or points to evaluate next, on their way to whoever
// coordinates the study.
struct Delivery {
  std::vector<Evaluated> results;
  bool once = false;                     // leave out what is stored already
  std::vector<PartialPoint> start = {};  // after those that were there before
};

// The open trial as the outcome ends it: state, values and what belongs to them, or failure,
// seconds and standard error. An outcome without one finite value per objective, or without a
// metric that a limit needs, ends it as failed. `attempts` is left to the caller.
Trial ended_by(Trial trial, Outcome outcome, std::span<const Limit> limits = {},
               std::size_t objectives = 1);

// Takes values or failure and what belongs to them out of the trial; its state is left to the
// caller.
void forget_outcome(Trial& trial);
// Moves them, and the state, from one trial to another.
void move_outcome(Trial& from, Trial& to);

std::string_view to_string(TrialState state);
std::optional<TrialState> trial_state_from(std::string_view text);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// When a run ends, and why it did: for study files, the library and the bindings.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <optional>
#include <string_view>

namespace vbo {

// Whatever is met first; the budget of the study besides.
struct StopRule {
  // Pause after so many failures in a row; 0 = never. Infeasible inputs do not count: they say
  // something about the input, not about the evaluator.
  int failures_in_a_row = 20;
  // Pause when the first evaluations, so many of them, fail all in the same way; 0 = never. One
  // whose program cannot be started pauses at once.
  int same_failures_first = 5;
  double information = 0.0;     // nats per round; 0 = never stop for lack of information
  int rounds = 5;               // ... over so many rounds in a row, exploitation within 5%
  double seconds = 0.0;         // wall time of the study over all its runs; 0 = no limit
  double run_seconds = 0.0;     // of this run; 0 = no limit
  std::optional<double> value;  // a result at least as good ends the study
};

enum class RunEnd {
  budget_spent,  // of ended trials
  interrupted,
  too_many_failures,
  no_more_information,
  space_exhausted,  // every point of a finite space has been evaluated
  time_over,        // StopRule::seconds or run_seconds
  good_enough,      // StopRule::value
  setup_failure     // the very first evaluations failed, all in the same way
};
std::string_view to_string(RunEnd end);  // "budget_spent", "interrupted", ...

}  // namespace vbo

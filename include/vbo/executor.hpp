// SPDX-License-Identifier: MIT
// Runs evaluations. What goes wrong with one evaluation is an Outcome, not an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/trial.hpp"

namespace vbo {

struct Job {
  TrialId id = 0;
  Point point;
};

// The end of one trial's evaluation, retries included.
struct Outcome {
  TrialId id = 0;
  std::optional<double> value;            // in the user's own sign
  std::optional<Failure> failure;         // exactly one of value and failure is set
  std::map<std::string, double> metrics;  // further measurements, by name
  double seconds = 0.0;                   // wall time of the last attempt
  int attempts = 1;
  std::string stderr_tail;
};

// Not thread-safe: one thread submits and waits.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::size_t capacity() const = 0;  // evaluations that can run at once
  virtual std::size_t running() const = 0;

  // Starts the job at once. REQUIRES: running() < capacity().
  virtual void submit(Job job) = 0;

  // Blocks until at least one evaluation ended or the time is over; returns those that ended.
  virtual std::vector<Outcome> wait(std::chrono::milliseconds at_most) = 0;

  // Kills what runs, without outcomes. Idempotent.
  virtual void cancel() = 0;
};

// Evaluates a function on threads of this process. An exception makes the trial fail with its text,
// a value that is not finite with cause non_finite. `function` is called from several threads at
// once when workers > 1. A call cannot be killed: cancel() forgets its outcome and the destructor
// waits for its end.
std::unique_ptr<Executor> make_function_executor(std::function<double(const Point&)> function,
                                                 std::size_t workers = 1);

}  // namespace vbo

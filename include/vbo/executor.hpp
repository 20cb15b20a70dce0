// SPDX-License-Identifier: MIT
// Runs evaluations. What goes wrong with one evaluation is an Outcome, not an error.
// Stability: a minor version of 0.x may change it.
// Threads: an Executor belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/program_files.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

struct Job {
  TrialId id = 0;
  Point point;
  // For programs that use random numbers: another one for every trial, from 0 to 2^31 - 1.
  std::int64_t seed = 0;
  std::int64_t repeat = 1;  // the how manyth evaluation of the point this is
};

// What evaluating a trial of the study with this seed means.
Job job_of(const Trial& trial, std::uint64_t study_seed);

class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::size_t capacity() const = 0;  // evaluations that can run at once
  virtual std::size_t running() const = 0;

  // Starts the job at once. REQUIRES: running() < capacity().
  virtual void submit(Job job) = 0;

  // Blocks until at least one evaluation ended or the time is over; returns those that ended.
  virtual std::vector<Outcome> wait(std::chrono::milliseconds at_most) = 0;

  // From now on wait() also returns once this file descriptor is readable; -1: none. False when the
  // executor cannot do that: then the caller waits for short times only.
  virtual bool watch(int /*fd*/) { return false; }

  // Kills what runs, without outcomes. Idempotent.
  virtual void cancel() = 0;
};

// Evaluates a function on threads of this process. An exception makes the trial fail with its text,
// a value that is not finite with cause non_finite. `function` is called from several threads at
// once when workers > 1. A call cannot be killed: cancel() forgets its outcome and the destructor
// waits for its end.
std::unique_ptr<Executor> make_function_executor(std::function<double(const Point&)> function,
                                                 std::size_t workers = 1);

enum class EvaluatorMode {
  once,   // one process per attempt; the value is on its standard output
  serve,  // one long-lived process per worker; requests and answers are lines of JSON
};

// What is killed when an evaluation ends, or vbo does.
enum class Containment {
  tree,   // everything it has started, wherever that went
  group,  // its process group; for programs that leave no process behind, with few workers
};

// Whether vbo itself sets this variable of an evaluator's environment.
bool is_own_variable(std::string_view name);

struct ProcessOptions {
  std::vector<std::string> command;                // program and arguments, with {name}
  std::map<std::string, std::string> environment;  // added to ours
  std::string directory;                           // working directory; empty = ours
  EvaluatorMode mode = EvaluatorMode::once;
  Containment containment = Containment::tree;
  std::size_t workers = 1;           // >= 1: attempts at the same time
  double timeout_seconds = 0.0;      // >= 0, of one attempt; 0 = no limit
  double grace_seconds = 2.0;        // >= 0: from SIGTERM to SIGKILL after a timeout
  int retries = 1;                   // >= 0: after a crash or an end without a value
  int temporary_retries = 3;         // >= 0: after exit code 75
  int lost_retries = 3;              // >= 0: when the process could not start or ended unasked
  double retry_delay_seconds = 0.5;  // >= 0: before the latter two; doubles each time
  std::size_t output_limit = std::size_t{1} << 18;  // bytes kept from the end of standard output
  std::size_t stderr_limit = std::size_t{1} << 12;  // ... and of standard error
  std::size_t line_limit = std::size_t{1} << 20;    // bytes of one answer in serve mode
  std::vector<Objective> objectives;  // answers have a value for each by name; empty = one value
  ProgramFiles files;                 // for programs that read and write files

  Result<void> validate() const;
};

// Evaluates with a program on this machine, several at a time. The calling thread does all the work
// inside submit() and wait(); a signal makes wait() return early. What the program has to do is
// described in docs/reference/evaluators.md. The error names the option, or the placeholder without
// parameter.
Result<std::unique_ptr<Executor>> make_process_executor(const Space& space, ProcessOptions options);

}  // namespace vbo

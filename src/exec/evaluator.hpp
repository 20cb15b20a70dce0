// SPDX-License-Identifier: MIT
// What occupies one slot of the process pool: starts attempts at evaluating a job, one at a time,
// and says when they ended. Nothing here blocks; the pool polls the file descriptors of all slots
// together. Not thread-safe.
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/child.hpp"
#include "exec/command_template.hpp"
#include "exec/guardian.hpp"
#include "exec/trial_files.hpp"
#include "exec/value_line.hpp"
#include "vbo/executor.hpp"

namespace vbo {

using Clock = std::chrono::steady_clock;

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // REQUIRES: no attempt is going on.
  virtual void begin(const Job& job, Clock::time_point now) = 0;
  // Moves the attempt on with what is readable now; its end, once. Id and attempts are the pool's.
  virtual std::optional<Outcome> step(Clock::time_point now) = 0;
  // Events that call for a step().
  virtual void add_events(std::vector<pollfd>& events) const = 0;
  // When to call step() even without an event.
  virtual std::optional<Clock::time_point> wake_at() const = 0;
  // Kills everything at once, idle processes too. begin() may be called again afterwards.
  virtual void kill() = 0;
};

// What the evaluators of one pool share.
struct EvaluatorContext {
  Space space;
  ProcessOptions options;
  CommandTemplate command;
  std::vector<std::string> environment;  // ours with options.environment
  exec::TrialFiles files;
  Guardian guardian{options.containment};

  // Program and arguments; a program in the folder of the study by its whole path.
  std::vector<std::string> command_for(const Job& job) const;
};

std::unique_ptr<Evaluator> make_once_evaluator(EvaluatorContext& context);
std::unique_ptr<Evaluator> make_serve_evaluator(EvaluatorContext& context);

// The end of a process that did not deliver, by its exit code: 65 infeasible, 75 temporary.
Failure failure_from_status(int wait_status);
Failure failure_from_spawn(const Error& error);
Failure timeout_failure(double timeout_seconds);

// At most so many bytes at a time, so that one chatty child starves nobody.
inline constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;

// Appends what can be read now, at most `limit` bytes; false once the stream has ended.
bool read_available(int fd, std::size_t limit, std::string& into);

// The time limit of one attempt: SIGTERM to the group when it is over, SIGKILL a grace later.
class Deadline {
 public:
  Deadline() = default;
  Deadline(Clock::time_point start, const ProcessOptions& options);

  void step(Clock::time_point now, const Child& child);
  bool is_over() const { return terminated_; }
  std::optional<Clock::time_point> wake_at() const;

 private:
  std::optional<Clock::time_point> terminate_at_;
  Clock::time_point kill_at_;
  bool terminated_ = false;
  bool killed_ = false;
};

}  // namespace vbo

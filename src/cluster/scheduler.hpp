// SPDX-License-Identifier: MIT
// A batch system, as far as vbo needs one: it starts jobs that each run `vbo work` for one study,
// and knows what became of them. Which jobs belong to the study is the batch system's knowledge, by
// the name they carry, so that a coordinator that takes over finds those of the one before.
// Calls may take seconds. A Scheduler belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vbo/error.hpp"

namespace vbo {

struct ClusterJob {
  enum class State {
    waiting,
    running,
    leaving,  // told to end, or ending
    done,     // ended well, because there was nothing more to do
    ended,    // cancelled or taken away: time limit, node failure, preemption
    failed,   // ended by a fault of its own
  };
  std::string id;  // as the batch system spells it: "123_4"
  State state = State::waiting;
  std::string word;  // the batch system's own for the state, or for why it waits
};

// Errors: io when the batch system cannot be reached now, not_found when its commands are not on
// this machine, invalid_input when it refuses. Messages are one line.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Appends the ids of what the batch system has accepted, also before an error.
  virtual Result<void> submit(std::int64_t count, std::vector<std::string>& accepted) = 0;
  // All jobs of the study; ended ones as long as the batch system remembers them.
  virtual Result<std::vector<ClusterJob>> jobs() = 0;
  virtual Result<void> cancel(std::span<const std::string> ids) = 0;
  virtual Result<void> cancel_all() = 0;
  // Where a job's output can be read, and its last line: "" when unknown.
  virtual std::string last_words(const std::string& id) = 0;
};

}  // namespace vbo

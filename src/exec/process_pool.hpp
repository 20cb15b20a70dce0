// SPDX-License-Identifier: MIT
// Evaluates trials with a program on this machine, several at a time. The calling thread does all
// the work inside submit() and wait(); a signal makes wait() return early. What an evaluator has to
// do is described in docs/evaluators.md.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/executor.hpp"
#include "vbo/space.hpp"

namespace vbo {

enum class EvaluatorMode {
  once,   // one process per attempt; the value is on its standard output
  serve,  // one long-lived process per worker; requests and answers are lines of JSON
};

struct ProcessOptions {
  std::vector<std::string> command;                // program and arguments, with {name}
  std::map<std::string, std::string> environment;  // added to ours
  std::string directory;                           // working directory; empty = ours
  EvaluatorMode mode = EvaluatorMode::once;
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

  Result<void> validate() const;
};

Result<std::unique_ptr<Executor>> make_process_pool(const Space& space, ProcessOptions options);

}  // namespace vbo

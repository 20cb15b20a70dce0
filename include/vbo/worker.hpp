// SPDX-License-Identifier: MIT
// A worker: claims waiting trials from a storage, evaluates them, stores what came of them. It
// knows nothing of methods and needs no coordinator to be there; it keeps its claims alive, and
// when the storage is away for a while it goes on evaluating, and tries again until it is back.
// Stability: a minor version of 0.x may change it.
// Threads: a worker is one thread with a storage and an executor of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "vbo/executor.hpp"
#include "vbo/storage.hpp"

namespace vbo {

struct WorkOptions {
  std::string name;                      // "" = HOST:PID
  double lease_seconds = kLeaseSeconds;  // how long a claim outlives its worker
  double idle_seconds = 0.0;             // leave after so long without a trial; 0 = never
  // Whether to leave once the study has ended. Not for workers of a run, which may begin while the
  // storage still says that an earlier run, with a smaller budget, was the last.
  bool leaves_at_end = true;
  // How long to wait for a storage that is away; 0 = its first error ends the work.
  double patience_seconds = 0.0;
  const std::atomic<int>* interrupts = nullptr;  // 1 = finish what runs, 2 = give it back
  std::function<void(const Trial&)> on_started;
  std::function<void(const Trial&, Completion)> on_finished;
  std::function<void(const Error&)>
      on_disconnect;                   // the storage cannot be reached; called once per outage
  std::function<void()> on_reconnect;  // it can again
  // Counts claims that found trials only because a wait had timed out; see RunOptions::unannounced.
  std::atomic<std::int64_t>* unannounced = nullptr;
};

enum class WorkEnd {
  study_ended,
  idle,  // nothing came for idle_seconds
  interrupted,
};

// Works until there is a reason to stop, never more than executor.capacity() at once. `storage`
// needs Access::queue.
Result<WorkEnd> work(Storage& storage, Executor& executor, const WorkOptions& options = {});

}  // namespace vbo

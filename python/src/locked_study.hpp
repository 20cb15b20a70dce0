// SPDX-License-Identifier: MIT
// A Study that Python may share between threads: one call at a time, others wait without the GIL.
// One that others can open too answers their requests for suggestions from a thread of its own.
// It belongs to the process that opened it. After fork() the child has a copy of its memory, but
// not of its threads, and its file lock is the parent's: there every call is an error, and the copy
// is never closed, because that would write to the parent's storage.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "errors.hpp"
#include "vbo/study.hpp"

namespace vbo::python {

class LockedStudy {
 public:
  LockedStudy(Study study, bool others_may_open)
      : study_(std::make_unique<Study>(std::move(study))) {
    if (!others_may_open) return;
    // A connection that only reads: to one of a worker PostgreSQL does not say which requests wait.
    if (Result<std::unique_ptr<Storage>> reader = study_->connect(Access::read); reader) {
      server_ = std::make_unique<std::thread>(
          [this, storage = std::move(*reader)]() mutable { serve(std::move(storage)); });
    }
  }
  LockedStudy(const LockedStudy&) = delete;
  LockedStudy& operator=(const LockedStudy&) = delete;
  ~LockedStudy() {
    if (forked()) {
      (void)study_.release();
      (void)server_.release();
      return;
    }
    const nanobind::gil_scoped_release released;  // closing may write a snapshot
    stop_serving();
    study_.reset();
  }

  // use(Study&) -> Result<T>, without the GIL and alone; raises the error.
  template <class Use>
  auto with(const Use& use) {
    require_same_process();
    return unwrap([&] {
      const nanobind::gil_scoped_release released;
      const std::lock_guard lock(mutex_);
      return use(*study_);
    }());
  }

  void close() {
    require_same_process();
    {
      const nanobind::gil_scoped_release released;
      stop_serving();
    }
    closed_ = true;
    with([](Study& study) { return study.close(); });
  }
  bool closed() const { return closed_; }

 private:
  bool forked() const { return getpid() != owner_; }
  void require_same_process() const {
    if (!forked()) return;
    raise({ErrorKind::unsupported,
           "this study was opened by process " + std::to_string(owner_) + " and this is process " +
               std::to_string(getpid()) +
               "; open it again here with vbo.open(storage), or let only the process that opened "
               "it ask and tell"});
  }

  // A storage cannot wake us for requests: only the connection that coordinates would be told.
  void serve(std::unique_ptr<Storage> storage) {
    constexpr std::chrono::milliseconds every{50};
    std::unique_lock waiting(stop_mutex_);
    while (!stop_.wait_for(waiting, every, [this] { return stopping_; })) {
      const Result<QueueState> state = storage->queue_state();
      if (!state || state->requests == 0) continue;
      const std::lock_guard lock(mutex_);
      (void)study_->answer_requests(0.05);  // who asked is told what went wrong, or asks again
    }
  }
  void stop_serving() {
    if (!server_) return;
    {
      const std::lock_guard lock(stop_mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    server_->join();
    server_.reset();
  }

  const pid_t owner_ = getpid();
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::unique_ptr<Study> study_;
  std::mutex stop_mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::unique_ptr<std::thread> server_;
};

}  // namespace vbo::python

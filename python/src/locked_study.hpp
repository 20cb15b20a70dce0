// SPDX-License-Identifier: MIT
// A Study that Python may share between threads: one call at a time, others wait without the GIL.
// It belongs to the process that opened it. After fork() the child has a copy of its memory, but
// not of its threads, and its file lock is the parent's: there every call is an error, and the copy
// is never closed, because that would write to the parent's storage.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "errors.hpp"
#include "vbo/study.hpp"

namespace vbo::python {

class LockedStudy {
 public:
  explicit LockedStudy(Study study) : study_(std::make_unique<Study>(std::move(study))) {}
  LockedStudy(const LockedStudy&) = delete;
  LockedStudy& operator=(const LockedStudy&) = delete;
  ~LockedStudy() {
    if (forked()) {
      (void)study_.release();
      return;
    }
    const nanobind::gil_scoped_release released;  // closing may write a snapshot
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

 private:
  bool forked() const { return getpid() != owner_; }
  void require_same_process() const {
    if (!forked()) return;
    raise({ErrorKind::unsupported,
           "this study was opened by process " + std::to_string(owner_) + " and this is process " +
               std::to_string(getpid()) +
               "; open it again here with vbo.open(storage) once the other has closed it, or let "
               "only the process that opened it ask and tell"});
  }

  const pid_t owner_ = getpid();
  std::mutex mutex_;
  std::unique_ptr<Study> study_;
};

}  // namespace vbo::python

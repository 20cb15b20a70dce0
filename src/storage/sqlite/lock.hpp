// SPDX-License-Identifier: MIT
// One writer per study: an exclusive flock on the file DB.lock beside the database, whose text says
// who holds it. The kernel drops the lock with the process, however it ends, so a lock file left
// over by a killed process blocks nobody. Child processes do not inherit it.
#pragma once

#include <string>

#include "vbo/error.hpp"

namespace vbo {

class WriterLock {
 public:
  // ErrorKind::busy, naming the holder, when somebody else has it.
  static Result<WriterLock> acquire(const std::string& database_path);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();  // removes the file and lets go

 private:
  WriterLock(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_ = -1;
};

}  // namespace vbo

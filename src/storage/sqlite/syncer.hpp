// SPDX-License-Identifier: MIT
// Makes what this process commits to one log (-wal) durable in the background: a sync covers all
// that was committed before it began, by whichever connection. Thread-safe. Its thread starts with
// the first request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "vbo/error.hpp"

namespace vbo::sqlite {

class Syncer {
 public:
  explicit Syncer(const std::string& path);  // of the database
  ~Syncer();                                 // when the sync that goes on has ended
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  // Has a sync begin for all that is committed by now; the number it is known by, from 1. Without a
  // thread, where the machine gives none, it is over when this returns.
  std::int64_t start();
  // Up to which number all is on the disk, once that is at least so much. The error, io, says why a
  // sync failed: then nothing is synced any more until recovered().
  Result<std::int64_t> done(std::int64_t at_least = 0);
  // Everything up to this number has arrived on the disk in another way.
  void recovered(std::int64_t number);
  std::int64_t last() const;  // the number of the last start()

 private:
  class Log;
  void work();
  std::optional<Error> sync();

  const std::string path_;    // of the log
  std::unique_ptr<Log> log_;  // once something was committed
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable wanted_, ended_;
  std::int64_t last_ = 0, done_ = 0;
  std::optional<Error> failure_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace vbo::sqlite

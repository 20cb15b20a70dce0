// SPDX-License-Identifier: MIT
// Who coordinates a study: one row says who, until when, and how often it changed hands (epoch). A
// thread with a connection of its own renews it, so that long training does not look like death. A
// process that was stopped and wakes up finds another epoch: every transaction of a coordinator
// begins by looking, so it can write nothing any more.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "storage/postgres/connection.hpp"
#include "vbo/storage.hpp"

namespace vbo::postgres {

class Lead {
 public:
  // Throws busy, naming the holder, when somebody else has it.
  Lead(Connection& connection, std::int64_t study, const std::string& study_name);
  ~Lead();  // gives it away
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

  // REQUIRES: inside a transaction of `connection`, which then holds the row. Throws busy when
  // somebody else has taken over.
  void require(Connection& connection, Durability durability) const;

 private:
  void renew();

  std::int64_t study_;
  std::string study_name_;
  std::int64_t epoch_ = 0;
  const ProcessName process_;
  Connection connection_;  // of the thread
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace vbo::postgres

// SPDX-License-Identifier: MIT
// Wakes up a connection when somebody else has committed something that concerns it: within this
// process by a Notifier, from other processes by inotify where the system has it. A writer touches,
// after its commit, the file beside the database that stands for its audience: the log (-wal) for
// the coordinator, the index of the log (-shm) for workers. Both exist while anybody has the
// database open. An event of the write itself would come too early: the commit is not visible yet.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "storage/notifier.hpp"

namespace vbo::sqlite {

class Watch {
 public:
  // Throws Fault when the process has no descriptors left.
  Watch(const std::string& path, std::shared_ptr<Notifier> notifier, Audience audience);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // False where inotify cannot be had, e.g. because all of a user's instances are taken. Then the
  // caller has to look, and wait() returns soon.
  bool sees_other_processes() const { return files_ >= 0; }
  int fd() const { return all_; }  // readable after an announcement
  bool take();                     // whether there was one since the last call
  // Until there is an announcement, a signal, or the time is over.
  void wait(std::chrono::milliseconds at_most) const;
  const Notifier::Subscription& subscription() const { return subscription_; }

 private:
  Notifier::Subscription subscription_;
  int files_ = -1;  // inotify
  int all_ = -1;    // both
};

// To other processes that have the database at `path` open.
void touch_for(Audience audience, const std::string& path);

}  // namespace vbo::sqlite

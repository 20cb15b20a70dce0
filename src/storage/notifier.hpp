// SPDX-License-Identifier: MIT
// Tells the other connections of this process that something was committed to a study. Each
// connection subscribes with a file descriptor of its own, so that one poll() can wait for this,
// for other processes and for evaluators. Thread-safe, except that one thread uses a subscription.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "vbo/storage.hpp"

namespace vbo {

// Whom a commit concerns; to be combined with |.
enum class Audience : unsigned {
  nobody = 0,
  workers = 1,      // trials to claim, the end of a study, answers to requests
  coordinator = 2,  // results, requests, revisions, workers that come and go
  everybody = 3,
};
constexpr Audience operator|(Audience a, Audience b) {
  return static_cast<Audience>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool overlap(Audience a, Audience b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}
constexpr Audience audience_of(Access access) {
  return access == Access::queue        ? Audience::workers
         : access == Access::coordinate ? Audience::coordinator
                                        : Audience::everybody;
}

class Notifier {
 public:
  class Subscription;
  // Call after the commit, so that whoever wakes up finds what was committed.
  void notify(Audience audience, const Subscription* except);

 private:
  std::mutex mutex_;
  std::vector<Subscription*> subscriptions_;
};

class Notifier::Subscription {
 public:
  Subscription(std::shared_ptr<Notifier> notifier, Audience audience);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // Readable after a notification; -1 when the process has no descriptors left.
  int fd() const { return fds_[0]; }
  // Whether there was a notification since the last call; waits for one, at most so long.
  bool take();
  bool wait(std::chrono::milliseconds at_most);

 private:
  friend class Notifier;
  void notify();

  std::shared_ptr<Notifier> notifier_;
  Audience audience_;
  std::array<int, 2> fds_ = {-1, -1};  // the ends of a pipe: to read, to write
  std::atomic<bool> notified_ = false;
};

}  // namespace vbo

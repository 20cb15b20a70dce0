// SPDX-License-Identifier: MIT
#include "storage/notifier.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace vbo {
namespace {

// A pipe whose ends do not block and do not reach other programs; -1 when there are no descriptors
// left.
std::array<int, 2> open_pipe() {
  std::array<int, 2> fds = {-1, -1};
  if (pipe(fds.data()) != 0) return {-1, -1};
  for (const int fd : fds) {
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return fds;
}

}  // namespace

void Notifier::notify(Audience audience, const Subscription* except) {
  const std::scoped_lock lock(mutex_);
  for (Subscription* const subscription : subscriptions_) {
    if (subscription != except && overlap(subscription->audience_, audience)) {
      subscription->notify();
    }
  }
}

Notifier::Subscription::Subscription(std::shared_ptr<Notifier> notifier, Audience audience)
    : notifier_(std::move(notifier)), audience_(audience), fds_(open_pipe()) {
  const std::scoped_lock lock(notifier_->mutex_);
  notifier_->subscriptions_.push_back(this);
}

Notifier::Subscription::~Subscription() {
  {
    const std::scoped_lock lock(notifier_->mutex_);
    std::erase(notifier_->subscriptions_, this);
  }
  for (const int fd : fds_) {
    if (fd >= 0) close(fd);
  }
}

void Notifier::Subscription::notify() {
  constexpr char one = 1;
  if (!notified_.exchange(true) && fds_[1] >= 0) (void)!write(fds_[1], &one, sizeof one);
}

// The descriptor is emptied first: a notification between the two lines is returned now, and one
// after them makes the descriptor readable again.
bool Notifier::Subscription::take() {
  std::array<char, 64> bytes{};
  while (fds_[0] >= 0 && read(fds_[0], bytes.data(), bytes.size()) > 0) continue;
  return notified_.exchange(false);
}

bool Notifier::Subscription::wait(std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kWithoutDescriptor{5};
  const auto end = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    const bool notified = take();
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (notified || left.count() <= 0) return notified;
    if (fds_[0] < 0) left = std::min(left, kWithoutDescriptor);
    pollfd event{fds_[0], POLLIN, 0};  // of a negative descriptor: just a pause
    (void)poll(&event, 1, static_cast<int>(left.count()));
  }
}

}  // namespace vbo

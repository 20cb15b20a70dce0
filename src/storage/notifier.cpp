// SPDX-License-Identifier: MIT
#include "storage/notifier.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace vbo {

void Notifier::notify(Audience audience, const Subscription* except) {
  const std::scoped_lock lock(mutex_);
  for (Subscription* const subscription : subscriptions_) {
    if (subscription != except && overlap(subscription->audience_, audience)) {
      subscription->notify();
    }
  }
}

Notifier::Subscription::Subscription(std::shared_ptr<Notifier> notifier, Audience audience)
    : notifier_(std::move(notifier)),
      audience_(audience),
      fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const std::scoped_lock lock(notifier_->mutex_);
  notifier_->subscriptions_.push_back(this);
}

Notifier::Subscription::~Subscription() {
  {
    const std::scoped_lock lock(notifier_->mutex_);
    std::erase(notifier_->subscriptions_, this);
  }
  if (fd_ >= 0) close(fd_);
}

void Notifier::Subscription::notify() {
  constexpr std::uint64_t one = 1;
  if (!notified_.exchange(true) && fd_ >= 0) (void)!write(fd_, &one, sizeof one);
}

// The descriptor is emptied first: a notification between the two lines is returned now, and one
// after them makes the descriptor readable again.
bool Notifier::Subscription::take() {
  std::uint64_t count = 0;
  if (fd_ >= 0) (void)!read(fd_, &count, sizeof count);
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
    if (fd_ < 0) left = std::min(left, kWithoutDescriptor);
    pollfd event{fd_, POLLIN, 0};  // of a negative descriptor: just a pause
    (void)poll(&event, 1, static_cast<int>(left.count()));
  }
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "web/work_queue.hpp"

namespace vbo::web {

WorkQueue::WorkQueue() : thread_([this] { loop(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_one();
  thread_.join();
}

bool WorkQueue::add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return false;
    waiting_.push_back(std::move(work));
  }
  ready_.notify_one();
  return true;
}

void WorkQueue::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace vbo::web

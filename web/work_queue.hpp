// SPDX-License-Identifier: MIT
// One thread that does one thing after the other, so that what takes time does not stop the server.
// What has not begun when the queue goes is not done.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace vbo::web {

class WorkQueue {
 public:
  WorkQueue();
  ~WorkQueue();  // waits for the work that is being done

  bool add(std::function<void()> work);  // false: too much is waiting already

 private:
  static constexpr std::size_t kMostWaiting = 256;
  void loop();

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others from the beginning
};

}  // namespace vbo::web

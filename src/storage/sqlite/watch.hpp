// SPDX-License-Identifier: MIT
// Wakes up when a file of a folder is written, by inotify; where that cannot be had it merely
// sleeps a little, so the caller has to look for itself in any case.
#pragma once

#include <chrono>
#include <string>

namespace vbo::sqlite {

class Watch {
 public:
  explicit Watch(const std::string& path);  // of the database; its log is what gets written
  Watch(Watch&& other) noexcept;
  Watch& operator=(Watch&& other) noexcept;
  ~Watch();

  // Returns at the next write of the log, or after `at_most`.
  void wait(std::chrono::milliseconds at_most);

 private:
  std::string log_name_;
  int fd_ = -1;
};

}  // namespace vbo::sqlite

// SPDX-License-Identifier: MIT
#include "storage/sqlite/watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <utility>

namespace vbo::sqlite {
namespace {

constexpr std::chrono::milliseconds kWithoutWatch{20};

}  // namespace

Watch::Watch(const std::string& path)
    : log_name_(std::filesystem::path(path).filename().string() + "-wal"),
      fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  // The folder, not the log itself: the log comes and goes.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (fd_ >= 0 && inotify_add_watch(fd_, folder.empty() ? "." : folder.c_str(), IN_MODIFY) < 0) {
    close(std::exchange(fd_, -1));
  }
}

Watch::Watch(Watch&& other) noexcept
    : log_name_(std::move(other.log_name_)), fd_(std::exchange(other.fd_, -1)) {}

Watch& Watch::operator=(Watch&& other) noexcept {
  std::swap(log_name_, other.log_name_);
  std::swap(fd_, other.fd_);
  return *this;
}

Watch::~Watch() {
  if (fd_ >= 0) close(fd_);
}

void Watch::wait(std::chrono::milliseconds at_most) {
  if (fd_ < 0) return std::this_thread::sleep_for(std::min(at_most, kWithoutWatch));
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + at_most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd event{fd_, POLLIN, 0};
    if (left <= 0 || poll(&event, 1, static_cast<int>(left)) <= 0) return;
    alignas(inotify_event) std::array<char, 4096> buffer{};
    const ssize_t size = read(fd_, buffer.data(), buffer.size());
    for (ssize_t at = 0; at < size;) {
      const auto* change = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      // Evaluators may write other files into the same folder.
      if ((change->mask & IN_Q_OVERFLOW) != 0 || (change->len > 0 && log_name_ == change->name)) {
        return;
      }
      at += static_cast<ssize_t>(sizeof(inotify_event) + change->len);
    }
  }
}

}  // namespace vbo::sqlite

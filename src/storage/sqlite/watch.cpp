// SPDX-License-Identifier: MIT
#include "storage/sqlite/watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "storage/sqlite/database.hpp"

// VBO_PORTABLE: as on a system without inotify, to compile and to test it.
#if defined(__linux__) && !defined(VBO_PORTABLE)
#define VBO_HAVE_INOTIFY
#include <sys/epoll.h>
#include <sys/inotify.h>
#endif

namespace vbo::sqlite {
namespace {

constexpr std::chrono::milliseconds kWithoutInotify{20};

std::string log_of(const std::string& path) { return path + "-wal"; }
std::string index_of(const std::string& path) { return path + "-shm"; }

#ifdef VBO_HAVE_INOTIFY

// The descriptor of inotify, or -1.
int watch_files(const std::string& path, Audience audience) {
  const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  const auto add = [&](const std::string& file) {
    return inotify_add_watch(fd, file.c_str(), IN_ATTRIB) >= 0;
  };
  const bool watched = fd >= 0 &&
                       (!overlap(audience, Audience::coordinator) || add(log_of(path))) &&
                       (!overlap(audience, Audience::workers) || add(index_of(path)));
  if (watched) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

// A descriptor that is readable when one of these is, or -1. REQUIRES: a >= 0.
int watch_both(int a, int b) {
  const int all = epoll_create1(EPOLL_CLOEXEC);
  const auto add = [&](int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    return all >= 0 && epoll_ctl(all, EPOLL_CTL_ADD, fd, &event) == 0;
  };
  if (add(a) && (b < 0 || add(b))) return all;
  if (all >= 0) close(all);
  return -1;
}

#else

int watch_files(const std::string&, Audience) { return -1; }
int watch_both(int a, int) { return dup(a); }

#endif

}  // namespace

Watch::Watch(const std::string& path, std::shared_ptr<Notifier> notifier, Audience audience)
    : subscription_(std::move(notifier), audience),
      files_(watch_files(path, audience)),
      all_(subscription_.fd() < 0 ? -1 : watch_both(subscription_.fd(), files_)) {
  if (all_ >= 0) return;
  if (files_ >= 0) close(files_);
  throw Fault{{ErrorKind::io, "no file descriptors left to wait for changes of \"" + path + "\""}};
}

Watch::~Watch() {
  if (files_ >= 0) close(files_);
  close(all_);
}

bool Watch::take() {
  std::array<char, 4096> events{};
  bool announced = false;
  while (files_ >= 0 && read(files_, events.data(), events.size()) > 0) announced = true;
  return subscription_.take() || announced;
}

void Watch::wait(std::chrono::milliseconds at_most) const {
  if (files_ < 0) at_most = std::min(at_most, kWithoutInotify);
  pollfd event{all_, POLLIN, 0};
  (void)poll(&event, 1, static_cast<int>(at_most.count()));
}

void touch_for(Audience audience, const std::string& path) {
  const auto touch = [](const std::string& file) {
    (void)!utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  };
  if (overlap(audience, Audience::coordinator)) touch(log_of(path));
  if (overlap(audience, Audience::workers)) touch(index_of(path));
}

}  // namespace vbo::sqlite

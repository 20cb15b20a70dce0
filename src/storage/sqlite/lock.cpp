// SPDX-License-Identifier: MIT
#include "storage/sqlite/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace vbo {
namespace {

std::string holder_text() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> when{};
  std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return "process " + std::to_string(getpid()) + " on " + host.data() + " since " + when.data();
}

std::string read_holder(int fd) {
  std::array<char, 512> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  std::string holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  for (char& c : holder) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (!holder.empty() && holder.back() == ' ') holder.pop_back();
  return holder.empty() ? "another process" : holder;
}

// Whether the open file is still the one at `path`: its holder may have removed it meanwhile.
bool is_current(int fd, const std::string& path) {
  struct stat open_file {};
  struct stat at_path {};
  return fstat(fd, &open_file) == 0 && stat(path.c_str(), &at_path) == 0 &&
         open_file.st_ino == at_path.st_ino && open_file.st_dev == at_path.st_dev;
}

Error cannot_open(const std::string& path, const std::string& database_path, int code) {
  return {ErrorKind::io, "\"" + path + "\" cannot be opened, which every writer of \"" +
                             database_path + "\" needs (" + std::strerror(code) + ")"};
}

Error held_by(const std::string& holder, const std::string& database_path) {
  return {ErrorKind::busy, "\"" + database_path + "\" is being written by " + holder +
                               "; wait for it or stop it, then try again"};
}

Error cannot_lock(const std::string& path, int code) {
  return {ErrorKind::io, "\"" + path + "\" cannot be locked (" + std::strerror(code) +
                             "); is this a file system without locks?"};
}

}  // namespace

Result<WriterLock> WriterLock::acquire(const std::string& database_path) {
  const std::string path = database_path + ".lock";
  for (;;) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return cannot_open(path, database_path, errno);
    int locked = -1;
    do {
      locked = flock(fd, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    if (locked != 0) {
      const int code = errno;
      const std::string holder = read_holder(fd);
      close(fd);
      return code == EWOULDBLOCK ? held_by(holder, database_path) : cannot_lock(path, code);
    }
    if (!is_current(fd, path)) {
      close(fd);
      continue;
    }
    // The text is a courtesy to the next one who asks; the lock itself does not depend on it.
    const std::string text = holder_text() + "\n";
    if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, text.data(), text.size(), 0);
    return WriterLock(path, fd);
  }
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

WriterLock::~WriterLock() {
  if (fd_ < 0) return;
  unlink(path_.c_str());  // first, while nobody else can hold it
  close(fd_);
}

}  // namespace vbo

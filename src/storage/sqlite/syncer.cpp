// SPDX-License-Identifier: MIT
#include "storage/sqlite/syncer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

namespace vbo::sqlite {

// The log as SQLite's own means open it. It has no locks, so that closing it drops none.
class Syncer::Log {
 public:
  explicit Log(const std::string& path)
      : vfs_(sqlite3_vfs_find(nullptr)),
        memory_(static_cast<std::size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1),
        name_(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)) {
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL;
    opened_ = name_ ? vfs_->xOpen(vfs_, name_, file(), flags, nullptr) : SQLITE_NOMEM;
  }
  ~Log() {
    if (file()->pMethods) file()->pMethods->xClose(file());
    if (name_) sqlite3_free_filename(name_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  int sync() {  // a result code of SQLite
    return opened_ != SQLITE_OK ? opened_ : file()->pMethods->xSync(file(), SQLITE_SYNC_NORMAL);
  }

 private:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }

  sqlite3_vfs* vfs_;
  std::vector<std::max_align_t> memory_;
  const char* name_;
  int opened_;
};

Syncer::Syncer(const std::string& path) : path_(path + "-wal") {}

Syncer::~Syncer() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::int64_t Syncer::start() {
  std::unique_lock lock(mutex_);
  const std::int64_t number = ++last_;
  // Open from the first commit to the last: a file that is opened later is not told of an error
  // that another has been told of.
  if (!log_) log_ = std::make_unique<Log>(path_);
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
      failure_ = sync();
      if (!failure_) done_ = number;
      return number;
    }
  }
  lock.unlock();
  wanted_.notify_one();
  return number;
}

Result<std::int64_t> Syncer::done(std::int64_t at_least) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return done_ >= at_least || failure_; });
  if (failure_) return *failure_;
  return done_;
}

void Syncer::recovered(std::int64_t number) {
  {
    const std::scoped_lock lock(mutex_);
    done_ = std::max(done_, number);
    failure_.reset();
  }
  wanted_.notify_one();
  ended_.notify_all();
}

std::int64_t Syncer::last() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

void Syncer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return stop_ || (!failure_ && done_ < last_); });
    if (stop_) return;
    const std::int64_t number = last_;
    lock.unlock();
    std::optional<Error> failed = sync();
    lock.lock();
    if (!failed) done_ = std::max(done_, number);
    failure_ = std::move(failed);
    ended_.notify_all();
  }
}

std::optional<Error> Syncer::sync() {
  const int code = log_->sync();
  if (code == SQLITE_OK) return std::nullopt;
  return Error{ErrorKind::io,
               "\"" + path_ + "\" cannot be flushed to the disk (" + sqlite3_errstr(code) + ")"};
}

}  // namespace vbo::sqlite

// SPDX-License-Identifier: MIT
#include "storage/sqlite/write.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "storage/process.hpp"
#include "storage/sqlite/storage.hpp"

namespace vbo::sqlite {
namespace {

struct FileState {
  std::int64_t promised = 0, kept = 0;
};

FileState state_of(Database& database) {
  Statement select = database.prepare("SELECT promised, kept FROM file_state");
  if (!select.step()) return {};
  return {select.integer(0), select.integer(1)};
}

// Our file is gone from under its name, but not from us: all of it goes into a new one beside.
[[noreturn]] void fail_moved(const Database& database, const std::string& path) {
  // The same name for everybody who had this file open: what the last one writes is all there is.
  const std::string kept = path + ".rescued";
  const std::string fresh = kept + "." + std::to_string(getpid()) + ".new";
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  const Result<void> copied = attempt([&] { database.copy_to(fresh); });
  for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(fresh + suffix, ignored);
  const std::string what = "\"" + path + "\" was removed or replaced while it was in use";
  if (!copied || std::rename(fresh.c_str(), kept.c_str()) != 0) {
    throw Fault{{ErrorKind::damaged, what + ", and what was stored could not be kept in \"" + kept +
                                         "\"" + (copied ? "" : ": " + copied.error().message)}};
  }
  throw Fault{{ErrorKind::damaged, what + "; everything stored so far is kept in \"" + kept +
                                       "\". Move it back to go on"}};
}

}  // namespace

Write::Write(SqliteStorage& storage, Durability durability)
    : storage_(storage), durability_(durability), turn_(*storage.writing_) {
  Database& database = storage.database_;
  if (storage.access_ == Access::read) {
    throw Fault{{ErrorKind::io, "\"" + storage.path_ + "\" was opened for reading only"}};
  }
  for (;;) {
    storage.require_own_file();  // before SQLite stumbles over it
    transaction_.emplace(database);
    storage.require_own_file();
    const FileState state = state_of(database);
    if (state.promised != 0) {
      if (state.kept != state.promised) database.execute("UPDATE file_state SET kept = promised");
      storage.wrote_ = true;
      return;
    }
    database.prepare("UPDATE file_state SET promised = ?").bind(new_token()).run();
    transaction_->commit();
    storage.wrote_ = true;  // whatever comes of it, somebody has to settle
    transaction_.reset();
    // Somebody who reads may keep it from arriving; then a copy made this second is merely old.
    database.checkpoint();
  }
}

void Write::commit(Audience announced_to) {
  transaction_->commit();
  turn_.unlock();
  storage_.announce(announced_to);
  if (durability_ == Durability::at_once) storage_.make_durable();
  if (durability_ == Durability::soon) storage_.soon_.push_back(storage_.syncer_->start());
  if (storage_.database_.has_moved()) fail_moved(storage_.database_, storage_.path_);
  storage_.require_own_file();
}

bool is_promised(Database& database) { return state_of(database).promised != 0; }

void require_complete(Database& database, const std::string& path, bool had_log) {
  const FileState state = state_of(database);
  if (state.promised == state.kept || had_log || access((path + "-wal").c_str(), F_OK) == 0) return;
  throw Fault{{ErrorKind::damaged,
               "\"" + path +
                   "\" once held more than it shows: it was copied without its log. Copy \"" +
                   path +
                   "-wal\" as well, into the same folder, before opening it; or copy a study "
                   "that is not running. If the log is lost for good, accept what is here with: "
                   "sqlite3 " +
                   path + " \"UPDATE file_state SET kept = promised\""}};
}

}  // namespace vbo::sqlite

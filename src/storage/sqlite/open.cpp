// SPDX-License-Identifier: MIT
#include "storage/sqlite/open.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "storage/sqlite/lock.hpp"
#include "storage/sqlite/schema.hpp"
#include "storage/sqlite/storage.hpp"
#include "storage/sqlite/write.hpp"

namespace vbo {
namespace {

using sqlite::Database;
using sqlite::Fault;
using sqlite::FileKind;
using sqlite::SqliteStorage;

// Where links lead, so that two names of one file share one lock.
std::string resolved(const std::string& path) {
  std::error_code failed;
  const std::string real = std::filesystem::weakly_canonical(path, failed).string();
  return failed ? path : real;
}

bool has_log(const std::string& path) { return access((path + "-wal").c_str(), F_OK) == 0; }

// A file without a log is read as it is, without locks. When somebody begins to write meanwhile,
// what was read may be of two states: then nothing is wrong with it, and it is read again.
template <class Work>
auto while_steady(const std::string& path, const Work& work) {
  constexpr int most_tries = 500;
  for (int tries = 1;; ++tries) {
    const auto before = sqlite::FileStamp::of(path);
    const bool had_log = has_log(path);
    try {
      return work();
    } catch (const Fault&) {
      const bool changed = sqlite::FileStamp::of(path) != before || has_log(path) != had_log;
      if (!changed || tries == most_tries) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// A reader first: closing it changes nothing, whatever it finds. True when the schema is older.
bool look(const std::string& path, bool thoroughly) {
  return while_steady(path, [&] {
    const bool had_log = has_log(path);
    sqlite::Reader reader = sqlite::open_for_reading(path);
    sqlite::require_known_schema(reader.database, path, /*exactly=*/false);
    if (thoroughly) sqlite::require_intact(reader.database, path);
    if (reader.database.pragma("user_version") < sqlite::newest_schema()) return true;
    sqlite::require_complete(reader.database, path, had_log);
    return false;
  });
}

Database open_for_writing(const std::string& path, double wait_seconds) {
  Database database(path, Database::Mode::write, wait_seconds);
  if (sqlite3_db_readonly(database.handle(), "main") == 1) {
    throw Fault{
        {ErrorKind::io, "\"" + path + "\" cannot be written: it is read-only; it is unchanged"}};
  }
  return database;
}

// REQUIRES: the lock.
void bring_up_to_date(const std::string& path) {
  Database database = open_for_writing(path, 10.0);
  sqlite::migrate(database, sqlite::migrations());
}

// One at a time; whoever comes second waits, and finds it done.
void lock_and_bring_up_to_date(const std::string& path, double wait_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(wait_seconds);
  while (look(path, /*thoroughly=*/false)) {
    Result<WriterLock> lock = WriterLock::acquire(path);
    if (lock) return bring_up_to_date(path);
    if (lock.error().kind != ErrorKind::busy || Clock::now() >= end) throw Fault{lock.error()};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::unique_ptr<Storage> open_reader(const std::string& path) {
  (void)look(path, /*thoroughly=*/false);
  return while_steady(path, [&] {
    sqlite::Reader reader = sqlite::open_for_reading(path);
    sqlite::require_known_schema(reader.database, path, /*exactly=*/true);
    return std::make_unique<SqliteStorage>(path, std::move(reader));
  });
}

std::unique_ptr<Storage> open_queue(const std::string& path, double wait_seconds) {
  lock_and_bring_up_to_date(path, wait_seconds);
  return std::make_unique<SqliteStorage>(path, open_for_writing(path, wait_seconds), std::nullopt,
                                         wait_seconds);
}

std::unique_ptr<Storage> open_coordinator(const std::string& path, WriterLock lock,
                                          double wait_seconds) {
  if (look(path, /*thoroughly=*/true)) bring_up_to_date(path);
  return std::make_unique<SqliteStorage>(path, open_for_writing(path, wait_seconds),
                                         std::move(lock), wait_seconds);
}

Error nothing_there(const std::string& given, FileKind kind) {
  return {ErrorKind::not_found,
          "\"" + given + "\" " +
              (kind == FileKind::absent ? "does not exist" : "is empty: it holds no study yet")};
}

}  // namespace

std::string_view network_file_system(std::int64_t type) {
  switch (static_cast<std::uint32_t>(type)) {  // statfs(2)
    case 0x6969U:
      return "NFS";
    case 0x517BU:
      return "SMB";
    case 0xFE534D42U:
      return "SMB2";
    case 0xFF534D42U:
      return "CIFS";
    case 0x5346414FU:
      return "AFS";
    case 0x0BD00BD0U:
      return "Lustre";
    case 0x00C36400U:
      return "Ceph";
    case 0x47504653U:
      return "GPFS";
    default:
      return "";
  }
}

Result<void> require_local(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct statfs status {};
  if (statfs(folder.empty() ? "." : folder.c_str(), &status) != 0) return {};  // others will tell
  const std::string_view kind = network_file_system(static_cast<std::int64_t>(status.f_type));
  if (kind.empty()) return {};
  return Error{ErrorKind::unsupported,
               "\"" + path + "\" lies on " + std::string(kind) +
                   ", a network file system whose locks and shared memory do not keep an SQLite "
                   "file intact; put it on a local disk, or use PostgreSQL: storage = "
                   "\"postgresql://user@host/database?study=name\""};
}

Result<std::unique_ptr<Storage>> open_sqlite(const std::string& given, Access access,
                                             double wait_seconds) {
  const std::string path = resolved(given);
  Result<FileKind> kind = sqlite::inspect_file(path);
  if (!kind) return kind.error();
  if (access != Access::coordinate) {
    if (*kind != FileKind::ours) return nothing_there(given, *kind);
    if (access == Access::read) return sqlite::attempt([&] { return open_reader(path); });
    if (const auto local = require_local(path); !local) return local.error();
    return sqlite::attempt([&] { return open_queue(path, wait_seconds); });
  }
  if (const auto local = require_local(path); !local) return local.error();
  Result<WriterLock> lock = WriterLock::acquire(path);
  if (!lock) return lock.error();
  kind = sqlite::inspect_file(path);  // again, now that nobody else can be creating it
  if (!kind) return kind.error();
  return sqlite::attempt([&] {
    if (*kind != FileKind::ours) sqlite::create_file(path);
    return open_coordinator(path, std::move(*lock), wait_seconds);
  });
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "storage/sqlite/open.hpp"

#include <filesystem>

#include "storage/sqlite/lock.hpp"
#include "storage/sqlite/schema.hpp"
#include "storage/sqlite/storage.hpp"

namespace vbo {
namespace {

using sqlite::Database;
using sqlite::Fault;
using sqlite::FileKind;

// Where links lead, so that two names of one file share one lock.
std::string resolved(const std::string& path) {
  std::error_code failed;
  const std::string real = std::filesystem::weakly_canonical(path, failed).string();
  return failed ? path : real;
}

Database open_for_reading(const std::string& path) {
  try {
    Database database(path, Database::Mode::read);
    database.pragma("user_version");  // the first read is what fails
    return database;
  } catch (const Fault& fault) {
    // On a read-only file system SQLite cannot make the small index file that readers share with
    // the writer. Then nobody writes and the file can be read as it is, unless a writer left a log
    // (-wal) behind that would have to be read too.
    const int code = fault.code & 0xff;
    std::error_code absent;
    const auto log_size = std::filesystem::file_size(path + "-wal", absent);
    const bool has_log = !absent && log_size > 0;
    if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || has_log) throw;
  }
  return Database(path, Database::Mode::immutable);
}

std::unique_ptr<Storage> open_reader(const std::string& path) {
  Database database = open_for_reading(path);
  sqlite::require_known_schema(database, path, /*exactly=*/true);
  return std::make_unique<sqlite::SqliteStorage>(path, std::move(database), std::nullopt);
}

std::unique_ptr<Storage> open_writer(const std::string& path, WriterLock lock) {
  {
    // A reader first: closing it changes nothing, whatever it finds.
    Database look = open_for_reading(path);
    sqlite::require_known_schema(look, path, /*exactly=*/false);
    sqlite::require_intact(look, path);
  }
  Database database(path, Database::Mode::write);
  if (sqlite3_db_readonly(database.handle(), "main") == 1) {
    throw Fault{
        {ErrorKind::io, "\"" + path + "\" cannot be written: it is read-only; it is unchanged"}};
  }
  sqlite::migrate(database, sqlite::migrations());
  return std::make_unique<sqlite::SqliteStorage>(path, std::move(database), std::move(lock));
}

}  // namespace

Result<std::unique_ptr<Storage>> open_sqlite(const std::string& given, Access access) {
  const std::string path = resolved(given);
  Result<FileKind> kind = sqlite::inspect_file(path);
  if (!kind) return kind.error();
  if (access == Access::read) {
    if (*kind != FileKind::ours) {
      return Error{
          ErrorKind::not_found,
          "\"" + given + "\" " +
              (*kind == FileKind::absent ? "does not exist" : "is empty: it holds no study yet")};
    }
    return sqlite::attempt([&] { return open_reader(path); });
  }
  Result<WriterLock> lock = WriterLock::acquire(path);
  if (!lock) return lock.error();
  kind = sqlite::inspect_file(path);  // again, now that nobody else can be creating it
  if (!kind) return kind.error();
  return sqlite::attempt([&] {
    if (*kind != FileKind::ours) sqlite::create_file(path);
    return open_writer(path, std::move(*lock));
  });
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "storage/sqlite/schema.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace vbo::sqlite {
namespace {

constexpr std::string_view kSchema1[] = {
    R"(CREATE TABLE study (
         id         INTEGER PRIMARY KEY CHECK (id = 1),
         name       TEXT    NOT NULL,
         goal       TEXT    NOT NULL CHECK (goal IN ('minimize', 'maximize')),
         budget     INTEGER NOT NULL,
         space      TEXT    NOT NULL,
         optimizer  TEXT    NOT NULL,
         evaluate   TEXT    NOT NULL,
         created_by TEXT    NOT NULL
       ) STRICT)",
    R"(CREATE TABLE trials (
         id        INTEGER PRIMARY KEY,
         state     TEXT    NOT NULL CHECK (state IN ('waiting', 'running', 'completed', 'failed')),
         params    TEXT    NOT NULL,
         value     REAL,
         cause     TEXT,
         message   TEXT,
         seconds   REAL    NOT NULL DEFAULT 0,
         attempts  INTEGER NOT NULL DEFAULT 0,
         rationale TEXT    NOT NULL,
         asked_in  INTEGER NOT NULL,
         told_in   INTEGER,
         CHECK ((state = 'completed') = (value IS NOT NULL)),
         CHECK ((state = 'failed') = (cause IS NOT NULL)),
         CHECK ((state IN ('completed', 'failed')) = (told_in IS NOT NULL))
       ) STRICT)",   "CREATE INDEX trials_by_state ON trials (state, value)",
    R"(CREATE TABLE outputs (
         trial  INTEGER PRIMARY KEY REFERENCES trials (id),
         stderr TEXT NOT NULL
       ) STRICT)",
    R"(CREATE TABLE reports (
         event  INTEGER PRIMARY KEY,
         round  INTEGER NOT NULL,
         report TEXT    NOT NULL
       ) STRICT)",
    R"(CREATE TABLE snapshot (
         id          INTEGER PRIMARY KEY CHECK (id = 1),
         after_event INTEGER NOT NULL,
         bytes       BLOB    NOT NULL
       ) STRICT)",
};
constexpr Migration kMigrations[] = {kSchema1};

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kApplicationIdOffset = 68;  // big-endian, SQLite file format section 1.3

Error io_error(const std::string& what, const std::string& path) {
  return {ErrorKind::io, what + " \"" + path + "\" (" + std::strerror(errno) + ")"};
}

void flush_to_disk(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Fault{io_error("cannot open", path)};
  const bool flushed = fsync(fd) == 0;
  const int code = errno;
  close(fd);
  errno = code;
  if (!flushed) throw Fault{io_error("cannot write to the disk:", path)};
}

// The next step of those the file lacks.
void apply_next(Database& database, std::span<const Migration> steps) {
  const std::int64_t version = database.pragma("user_version");
  for (const std::string_view sql : steps[static_cast<std::size_t>(version)]) database.execute(sql);
  database.execute("PRAGMA user_version = " + std::to_string(version + 1));
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

Result<FileKind> inspect_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return FileKind::absent;
    return io_error("cannot open", path);
  }
  const auto foreign = [&](const std::string& what) {
    return Error{ErrorKind::damaged, "\"" + path + "\" is " + what +
                                         ", not a vbo study; it was left as it is. Choose another "
                                         "file for the storage"};
  };
  if (!S_ISREG(status.st_mode)) return foreign("not a regular file");
  if (status.st_size == 0) return FileKind::empty;
  std::array<char, kHeaderSize> header{};
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return io_error("cannot open", path);
  const ssize_t size = pread(fd, header.data(), header.size(), 0);
  close(fd);
  if (size < 0) return io_error("cannot read", path);
  if (size < std::ssize(header) || std::string_view(header.data(), kMagic.size()) != kMagic) {
    return foreign("not an SQLite database");
  }
  std::int64_t id = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    id = id << 8 | static_cast<unsigned char>(header[kApplicationIdOffset + i]);
  }
  if (id != kApplicationId) return foreign("the SQLite database of another program");
  return FileKind::ours;
}

void create_file(const std::string& path) {
  namespace fs = std::filesystem;
  // Under another name first: a half-made file never stands where a study is expected.
  const std::string fresh = path + ".new";
  std::error_code ignored;
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(fresh + suffix, ignored);
  try {
    {
      Database database(fresh, Database::Mode::create);
      // Nobody sees the file before it is complete and flushed, so SQLite need not do it step by
      // step.
      database.execute("PRAGMA journal_mode = MEMORY");
      database.execute("PRAGMA synchronous = OFF");
      database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
      while (database.pragma("user_version") < std::ssize(migrations())) {
        apply_next(database, migrations());
      }
      database.execute("PRAGMA journal_mode = WAL");
    }
    flush_to_disk(fresh, 0);
    if (std::rename(fresh.c_str(), path.c_str()) != 0) {
      throw Fault{io_error("cannot create", path)};
    }
  } catch (Fault&) {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(fresh + suffix, ignored);
    throw;
  }
  const std::string folder = fs::path(path).parent_path().string();
  flush_to_disk(folder.empty() ? "." : folder, O_DIRECTORY);
}

void require_known_schema(Database& database, const std::string& path, bool exactly) {
  const auto newest = std::ssize(migrations());
  const std::int64_t found = database.pragma("user_version");
  if (found > newest || found < 1) {
    throw Fault{{ErrorKind::damaged, "\"" + path + "\" has schema " + std::to_string(found) +
                                         ", this build knows 1 to " + std::to_string(newest) +
                                         "; it was left as it is. Use the vbo that wrote it, or "
                                         "a newer one"}};
  }
  if (exactly && found != newest) {
    throw Fault{{ErrorKind::unsupported, "\"" + path + "\" has the older schema " +
                                             std::to_string(found) +
                                             "; `vbo run` brings it up to date"}};
  }
}

void require_intact(Database& database, const std::string& path) {
  Statement check = database.prepare("PRAGMA quick_check(1)");
  if (check.step() && check.text(0) == "ok") return;
  throw Fault{{ErrorKind::damaged, "\"" + path + "\" is damaged (" + std::string(check.text(0)) +
                                       "); it was left as it is"}};
}

void migrate(Database& database, std::span<const Migration> steps) {
  while (database.pragma("user_version") < std::ssize(steps)) {
    Transaction transaction(database, /*durable=*/true);
    apply_next(database, steps);
    transaction.commit();
  }
}

}  // namespace vbo::sqlite

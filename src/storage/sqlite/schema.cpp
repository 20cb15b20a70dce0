// SPDX-License-Identifier: MIT
#include "storage/sqlite/schema.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "storage/sqlite/schema_check.hpp"

namespace vbo::sqlite {
namespace {

// The first schema that was released. Blanks apart, files have exactly these texts.
constexpr std::string_view kTables[] = {
    R"(CREATE TABLE study (
         id         INTEGER PRIMARY KEY CHECK (id = 1),
         name       TEXT    NOT NULL,
         budget     INTEGER NOT NULL,
         space      TEXT    NOT NULL,
         optimizer  TEXT    NOT NULL,
         evaluate   TEXT    NOT NULL,
         created_by TEXT    NOT NULL ,
         ended INTEGER NOT NULL DEFAULT 0,
         finished INTEGER NOT NULL DEFAULT 0,
         told_completed INTEGER NOT NULL DEFAULT 0,
         told_failed INTEGER NOT NULL DEFAULT 0,
         start TEXT NOT NULL DEFAULT '',
         spent REAL NOT NULL DEFAULT 0,
         objectives TEXT NOT NULL DEFAULT '',
         told_stopped INTEGER NOT NULL DEFAULT 0) STRICT)",
    R"(CREATE TABLE "trials" (
         id           INTEGER PRIMARY KEY,
         state        TEXT    NOT NULL
                      CHECK (state IN ('waiting', 'running', 'completed', 'failed', 'stopped')),
         params       TEXT    NOT NULL,
         value        REAL,
         cause        TEXT,
         message      TEXT,
         metrics      TEXT,
         details      TEXT,
         seconds      REAL    NOT NULL DEFAULT 0,
         attempts     INTEGER NOT NULL DEFAULT 0,
         rationale    TEXT    NOT NULL,
         asked_in     INTEGER NOT NULL,
         told_in      INTEGER,
         origin       TEXT    GENERATED ALWAYS AS
                      (CASE told_in WHEN asked_in THEN 'added' ELSE 'suggested' END) VIRTUAL,
         finished_seq INTEGER,
         asked_at     REAL    NOT NULL DEFAULT 0,
         started_at   REAL    NOT NULL DEFAULT 0,
         finished_at  REAL    NOT NULL DEFAULT 0,
         offered      INTEGER NOT NULL DEFAULT 0,
         request      INTEGER,
         worker       TEXT    NOT NULL DEFAULT '',
         process      TEXT    NOT NULL DEFAULT '',
         token        INTEGER NOT NULL DEFAULT 0,
         lease_until  REAL    NOT NULL DEFAULT 0,
         losses       INTEGER NOT NULL DEFAULT 0,
         ask_check    INTEGER,
         end_check    INTEGER,
         actual       TEXT,
         CHECK ((state IN ('completed', 'stopped')) = (value IS NOT NULL)),
         CHECK ((state = 'failed') = (cause IS NOT NULL)),
         CHECK ((state IN ('completed', 'failed', 'stopped')) = (finished_seq IS NOT NULL)),
         CHECK (told_in IS NULL OR finished_seq IS NOT NULL)
       ) STRICT)",
    "CREATE INDEX trials_open ON trials (state, offered, id) WHERE told_in IS NULL",
    "CREATE INDEX trials_by_value ON trials (value, id) WHERE state = 'completed'",
    "CREATE INDEX trials_by_request ON trials (request) WHERE request IS NOT NULL",
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
         bytes       BLOB    NOT NULL ,
         checksum INTEGER) STRICT)",
    R"(CREATE TABLE requests (
         id      INTEGER PRIMARY KEY AUTOINCREMENT,
         count   INTEGER NOT NULL,
         who     TEXT    NOT NULL,
         made_at REAL    NOT NULL,
         state   TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'refused')),
         message TEXT    NOT NULL DEFAULT '' ,
         results TEXT NOT NULL DEFAULT '') STRICT)",
    "CREATE INDEX requests_open ON requests (id) WHERE state = 'open'",
    R"(CREATE TABLE late_results (
         id          INTEGER PRIMARY KEY,
         trial       INTEGER NOT NULL,
         received_at REAL    NOT NULL,
         worker      TEXT    NOT NULL,
         value       REAL,
         cause       TEXT,
         message     TEXT,
         metrics     TEXT,
         seconds     REAL    NOT NULL ,
         details TEXT) STRICT)",
    R"(CREATE TABLE workers (
         process    TEXT    NOT NULL,
         name       TEXT    NOT NULL,
         host       TEXT    NOT NULL,
         slots      INTEGER NOT NULL,
         completed  INTEGER NOT NULL,
         started_at REAL    NOT NULL,
         seen_at    REAL    NOT NULL,
         PRIMARY KEY (process, name)
       ) STRICT)",
    R"(CREATE TABLE file_state (
         id       INTEGER PRIMARY KEY CHECK (id = 1),
         promised INTEGER NOT NULL,
         kept     INTEGER NOT NULL
       ) STRICT)",
    "INSERT INTO file_state (id, promised, kept) VALUES (1, 0, 0)",
    R"(CREATE TABLE revisions (
         id       INTEGER PRIMARY KEY AUTOINCREMENT,
         trial    INTEGER NOT NULL,
         kind     TEXT    NOT NULL CHECK (kind IN ('replaced', 'dropped', 'retried')),
         reason   TEXT    NOT NULL,
         before   TEXT    NOT NULL,
         made_at  REAL    NOT NULL,
         event    INTEGER,
         checksum INTEGER NOT NULL
       ) STRICT)",
    "CREATE INDEX revisions_unapplied ON revisions (id) WHERE event IS NULL",
    "CREATE INDEX revisions_by_trial ON revisions (trial)",
};
// Settings that changed while the study lived.
constexpr std::string_view kSchema5[] = {
    "ALTER TABLE study ADD COLUMN changes TEXT NOT NULL DEFAULT ''",
};
constexpr Migration kMigrations[] = {kTables, kSchema5};

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

// The first bytes of a file, zeros where it is shorter. By SQLite's own means: opening and closing
// the file beside it would drop the locks that other connections of this process hold (fcntl(2)),
// and another process could then take the log away from under them.
Result<std::array<char, kHeaderSize>> read_header(const std::string& path) {
  std::array<char, kHeaderSize> header{};
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  std::vector<std::max_align_t> memory(
      static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
  auto* file = reinterpret_cast<sqlite3_file*>(memory.data());
  const char* name = sqlite3_create_filename(path.c_str(), "", "", 0, nullptr);
  int code = name ? vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr)
                  : SQLITE_NOMEM;
  if (code == SQLITE_OK) {
    code = file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
    file->pMethods->xClose(file);
  }
  if (name) sqlite3_free_filename(name);
  if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) return header;
  return io_error("cannot read", path);
}

// The next step of those the file lacks.
void apply_next(Database& database, std::span<const Migration> steps) {
  const std::int64_t version = database.pragma("user_version");
  const std::int64_t next = std::max(version + 1, kFirstSchema);
  for (const std::string_view sql : steps[static_cast<std::size_t>(next - kFirstSchema)]) {
    database.execute(sql);
  }
  database.execute("PRAGMA user_version = " + std::to_string(next));
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::int64_t newest_schema(std::span<const Migration> steps) {
  return kFirstSchema + std::ssize(steps) - 1;
}

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
  const Result<std::array<char, kHeaderSize>> read = read_header(path);
  if (!read) return read.error();
  const std::array<char, kHeaderSize>& header = *read;
  if (status.st_size < std::ssize(header) ||
      std::string_view(header.data(), kMagic.size()) != kMagic) {
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
      while (database.pragma("user_version") < newest_schema()) {
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

namespace {

// Number and tables of one and the same moment: another process may be upgrading the file.
class OneMoment {
 public:
  explicit OneMoment(Database& database) : database_(database) {
    database_.execute("SAVEPOINT one_moment");
  }
  ~OneMoment() {
    sqlite3_exec(database_.handle(), "RELEASE one_moment", nullptr, nullptr, nullptr);
  }
  OneMoment(const OneMoment&) = delete;
  OneMoment& operator=(const OneMoment&) = delete;

 private:
  Database& database_;
};

}  // namespace

void require_known_schema(Database& database, const std::string& path, bool exactly) {
  const OneMoment moment(database);
  const std::int64_t newest = newest_schema();
  const std::int64_t found = database.pragma("user_version");
  if (found > newest || found < kFirstSchema) {
    throw Fault{{ErrorKind::damaged, "\"" + path + "\" has schema " + std::to_string(found) +
                                         ", this build knows " + std::to_string(kFirstSchema) +
                                         " to " + std::to_string(newest) +
                                         "; it was left as it is. Use the vbo that wrote it, or "
                                         "a newer one"}};
  }
  require_own_schema(database, path);
  if (exactly && found != newest) {
    throw Fault{{ErrorKind::unsupported, "\"" + path + "\" has the older schema " +
                                             std::to_string(found) +
                                             " of an older vbo; bring it up to date with: vbo "
                                             "upgrade " +
                                             path}};
  }
}

void require_intact(Database& database, const std::string& path) {
  // Every row is looked up in every index: in a cache (KiB) of more of the file pages are read
  // once.
  database.execute("PRAGMA cache_size = -65536");
  Statement check = database.prepare("PRAGMA integrity_check(1)");
  if (check.step() && check.text(0) == "ok") return;
  throw Fault{{ErrorKind::damaged, "\"" + path + "\" is damaged (" + std::string(check.text(0)) +
                                       "); it was left as it is"}};
}

void migrate(Database& database, std::span<const Migration> steps) {
  while (database.pragma("user_version") < newest_schema(steps)) {
    Transaction transaction(database);
    apply_next(database, steps);
    transaction.commit();
  }
}

}  // namespace vbo::sqlite

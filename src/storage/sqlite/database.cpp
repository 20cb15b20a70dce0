// SPDX-License-Identifier: MIT
#include "storage/sqlite/database.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

namespace vbo::sqlite {
namespace {

constexpr int kStepsPerLook = 100'000;
constexpr unsigned kShortestPause = 100;      // microseconds
constexpr double kCheckpointPatience = 0.25;  // seconds; a checkpoint can as well come later

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "file:" URI with everything escaped that has a meaning in one.
std::string uri_of(const std::string& path, std::string_view query) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#' || byte < 0x20) {
      uri += {'%', hex[byte >> 4U], hex[byte & 15U]};
    } else {
      uri += c;
    }
  }
  return uri.append(query);
}

// For us alone, and nothing that lies there already is written through; its log takes its mode.
void make_own_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    throw Fault{{ErrorKind::io, "cannot create \"" + path + "\" (" + std::strerror(errno) + ")"}};
  }
  close(fd);
}

Error error_for(int extended, const std::string& path, const std::string& detail) {
  const std::string file = "\"" + path + "\"";
  switch (extended & 0xff) {
    case SQLITE_FULL:
      return {ErrorKind::io, "no space left to write " + file + "; what was stored is intact"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorKind::io, file + " cannot be written (" + detail + "); it is unchanged"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::busy, file + " is in use by another program (" + detail + ")"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorKind::damaged, file + " is damaged (" + detail + ")"};
    case SQLITE_INTERRUPT:
      return {ErrorKind::damaged,
              file + " is damaged (reading it takes more than a file of its size can need)"};
    case SQLITE_TOOBIG:
      return {ErrorKind::damaged, file + ": a text in it is longer than " +
                                      std::to_string(kLongestText >> 20) + " MiB (" + detail + ")"};
    case SQLITE_CONSTRAINT:
      return {ErrorKind::conflict, file + ": " + detail};
    case SQLITE_CANTOPEN:
      return {ErrorKind::io, file + " cannot be opened (" + detail + ")"};
    default:
      return {ErrorKind::io, file + ": " + detail + " (SQLite code " + std::to_string(extended) +
                                 "); what was stored is intact"};
  }
}

}  // namespace

Database::Database(const std::string& path, Mode mode, double wait_seconds)
    : path_(path),
      work_(std::make_unique<Work>(Work{path})),
      patience_(std::make_unique<Patience>(Patience{wait_seconds})) {
  constexpr std::array flags{SQLITE_OPEN_READONLY, SQLITE_OPEN_READONLY, SQLITE_OPEN_READONLY,
                             SQLITE_OPEN_READWRITE, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  constexpr std::array queries{"", "?readonly_shm=1", "?immutable=1", "", ""};
  const auto index = static_cast<std::size_t>(mode);
  if (mode == Mode::create && path != ":memory:") make_own_file(path);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(uri_of(path, queries[index]).c_str(), &handle,
                                   flags[index] | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (!handle_) throw Fault{{ErrorKind::io, "out of memory opening \"" + path + "\""}};
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, on_busy, patience_.get());
  sqlite3_progress_handler(handle, kStepsPerLook, on_progress, work_.get());
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestText);
  // What is in the log moves into the file when we say so: see SqliteStorage::settle().
  sqlite3_wal_autocheckpoint(handle, 0);
  // A file from elsewhere must not run anything through its schema.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

// Scanning a row takes some sixty steps and a row takes hundreds of bytes: a hundred times more
// than that is no reading of a file of this size. The size is looked at only once there is much,
// and again when it has allowed too little, for others may write meanwhile.
bool Database::Work::excessive() {
  const std::int64_t steps = looks * kStepsPerLook;
  if (steps <= allowed_steps && bytes <= allowed_bytes) return false;
  std::int64_t size = 0;
  for (const char* suffix : {"", "-wal"}) {
    struct stat status {};
    if (stat((path + suffix).c_str(), &status) == 0) size += status.st_size;
  }
  allowed_steps = kFewSteps + 64 * size;
  allowed_bytes = kLongestText + 4 * size;
  return steps > allowed_steps || bytes > allowed_bytes;
}

int Database::on_progress(void* context) {
  auto& work = *static_cast<Work*>(context);
  ++work.looks;
  return work.excessive() ? 1 : 0;
}

void Database::read_bytes(int count) const {
  work_->bytes += count;
  if (work_->excessive()) fail(SQLITE_INTERRUPT);
}

// Most transactions take less than a tenth of a millisecond. Pauses grow to five milliseconds and
// no more: with many at once nobody is left behind for long, as with SQLite's own ever longer
// pauses.
int Database::on_busy(void* context, int count) {
  auto& patience = *static_cast<Patience*>(context);
  if (count == 0) patience.until = steady_seconds() + patience.seconds;
  if (steady_seconds() >= patience.until) return 0;
  thread_local std::minstd_rand random(std::random_device{}());
  const unsigned longest = kShortestPause << static_cast<unsigned>(std::min(count / 4, 5));
  std::this_thread::sleep_for(std::chrono::microseconds(longest / 2 + random() % longest));
  return 1;
}

bool Database::checkpoint() {
  const double usual = std::exchange(patience_->seconds, kCheckpointPatience);
  int frames = 0;
  int moved = 0;
  const int code = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                             &frames, &moved);
  patience_->seconds = usual;
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
    fail(code);
  return code == SQLITE_OK;
}

// Offsets of section 2 of SQLite's WAL-mode file format; whoever writes pages into the file first
// stores up to where it means to get, and afterwards that it is there.
std::optional<Database::Checkpoints> Database::checkpoints() const {
  constexpr int region = 32768;
  constexpr std::size_t salts = 32, moved = 96, attempted = 128;
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  if (!file || !file->pMethods || file->pMethods->iVersion < 2) return std::nullopt;
  void volatile* shared = nullptr;
  if (file->pMethods->xShmMap(file, 0, region, 0, &shared) != SQLITE_OK || !shared) {
    return std::nullopt;
  }
  const auto number_at = [&](std::size_t offset) {
    return static_cast<const volatile std::uint32_t*>(shared)[offset / sizeof(std::uint32_t)];
  };
  if (number_at(moved) != number_at(attempted)) return std::nullopt;
  return Checkpoints{number_at(moved), number_at(salts), number_at(salts + 4)};
}

void Database::keep_log() {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::has_moved() const {
  int moved = 0;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

void Database::copy_to(const std::string& path) const {
  Database copy(path, Mode::create);
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", handle_.get(), "main");
  if (!backup) copy.fail(sqlite3_errcode(copy.handle()));
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) copy.fail(code);
}

void Database::fail(int code) const {
  const bool same = handle_ && (sqlite3_errcode(handle_.get()) & 0xff) == (code & 0xff);
  std::string detail = same ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const int reason = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  if ((code & 0xff) == SQLITE_IOERR && reason != 0) {
    detail += std::string(": ") + std::strerror(reason);
  }
  throw Fault{error_for(code, path_, detail), code};
}

void Database::sync_log() {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                       static_cast<void*>(&log));
  if (!log || !log->pMethods) return;  // nothing was written yet
  const int code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (code != SQLITE_OK) fail(code);
}

IdleStatements::~IdleStatements() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
}

sqlite3_stmt* IdleStatements::take(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found == statements_.end()) return nullptr;
  sqlite3_stmt* const statement = found->second;
  statements_.erase(found);
  return statement;
}

void IdleStatements::put(sqlite3_stmt* statement) {
  constexpr std::size_t kMost = 100;  // this program has fewer; texts made at run time could add up
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  const bool kept = statements_.size() < kMost &&
                    statements_.try_emplace(sqlite3_sql(statement), statement).second;
  if (!kept) sqlite3_finalize(statement);
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = idle_->take(sql);
  if (!statement) {
    const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) fail(code);
  }
  return {*this, statement, *idle_};
}

void Database::execute(std::string_view sql) { prepare(sql).run(); }

std::int64_t Database::pragma(const std::string& name) {
  Statement statement = prepare("PRAGMA " + name);
  return statement.step() ? statement.integer(0) : 0;
}

bool Statement::step() {
  if (sqlite3_stmt_busy(statement_.get()) == 0) database_->begin_statement();
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    database_->fail(code);
  }
  return false;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  database_->read_bytes(size);
  return bytes ? std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size))
               : std::string_view();
}

void Statement::bind_one(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
}
void Statement::bind_one(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value));
}
void Statement::bind_one(int index, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), index));
}
// The caller's text outlives the statement's run, so SQLite need not copy it.
void Statement::bind_one(int index, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), index, value.empty() ? "" : value.data(),
                            value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // SQLite itself rolls back on some errors (disk full); then there is nothing left to undo.
  if (open_ && sqlite3_get_autocommit(database_.handle()) == 0) {
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace vbo::sqlite

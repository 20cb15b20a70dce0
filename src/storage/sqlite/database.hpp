// SPDX-License-Identifier: MIT
// A thin owner of one SQLite connection: prepared statements and transactions that clean up after
// themselves. Inside this folder failures travel as the exception Fault; attempt() turns them
// into a Result at the border, so no caller outside ever sees it. Not thread-safe.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "vbo/error.hpp"

namespace vbo::sqlite {

struct Fault {
  Error error;
  int code = 0;  // SQLite's extended result code; 0 when it did not come from SQLite
};

// Runs `work`, which may throw Fault, and returns what it returns as a Result.
template <class Work>
auto attempt(Work&& work) -> Result<std::invoke_result_t<Work>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (Fault& failure) {
    return std::move(failure.error);
  }
}

class Statement;

inline constexpr int kLongestText = 64 << 20;  // bytes of one value
inline constexpr std::int64_t kFewSteps = 20'000'000;

// Prepared statements that nobody uses at the moment, by their text: preparing one takes longer
// than running most of them.
class IdleStatements {
 public:
  IdleStatements() = default;
  ~IdleStatements();
  IdleStatements(const IdleStatements&) = delete;
  IdleStatements& operator=(const IdleStatements&) = delete;
  sqlite3_stmt* take(std::string_view sql);  // null: there is none
  void put(sqlite3_stmt* statement);

 private:
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

class Database {
 public:
  enum class Mode {
    read,       // never changes the file; shared with running writers
    stranger,   // the same for another user than the file's, who must not leave files beside it
    immutable,  // for read-only file systems: nobody may write while it is open
    write,      // an existing file
    create,     // a file that does not exist yet
  };
  Database(const std::string& path, Mode mode, double wait_seconds = 10.0);

  Statement prepare(std::string_view sql);
  void execute(std::string_view sql);            // no parameters, no rows
  std::int64_t pragma(const std::string& name);  // one that answers with an integer
  std::int64_t changes() const { return sqlite3_changes64(handle_.get()); }
  void keep_log();  // closing will leave it beside the file
  // Returns when everything committed so far is on the disk. Needs no lock: others may write
  // meanwhile, and what they commit before the disk answers is covered too.
  void sync_log();
  // Moves what is in the log (-wal) into the file; false when somebody who reads stood in the way.
  bool checkpoint();
  // What only a checkpoint changes, as the index of the log (-shm) has it; nothing while one is
  // under way, or when there is no index.
  using Checkpoints = std::array<std::uint32_t, 3>;
  std::optional<Checkpoints> checkpoints() const;
  // Whether the file under our name is no longer the one we have open.
  bool has_moved() const;
  // Everything, as seen now, into a new file.
  void copy_to(const std::string& path) const;

  [[noreturn]] void fail(int code) const;  // throws Fault for an SQLite result code
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  // How long to wait for others who write; where SQLite's callback can find it.
  struct Patience {
    double seconds = 0.0;
    double until = 0.0;  // of the wait that goes on
  };
  static int on_busy(void* patience, int count);
  // What one statement has cost so far. A file from elsewhere may lead in circles: what is more
  // than a file of its size can need ends the statement.
  struct Work {
    std::string path;
    std::int64_t looks = 0;  // of kStepsPerLook steps of SQLite's virtual machine each
    std::int64_t bytes = 0;  // read
    std::int64_t allowed_steps = kFewSteps, allowed_bytes = kLongestText;
    bool excessive();
  };
  static int on_progress(void* work);
  void begin_statement() const { *work_ = {work_->path}; }
  void read_bytes(int count) const;
  friend class Statement;

  std::string path_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<Patience> patience_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<IdleStatements> idle_ = std::make_unique<IdleStatements>();
};

class Statement {
 public:
  Statement(const Database& database, sqlite3_stmt* statement, IdleStatements& idle)
      : database_(&database), statement_(statement, PutBack{&idle}) {}

  // Parameters in the order of the question marks.
  template <class... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(statement_.get());
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  bool step();  // true: there is a row
  void run() {  // for statements without rows
    while (step()) {
    }
    sqlite3_reset(statement_.get());
  }

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  // also blobs; valid until the next step

 private:
  void check(int code) const {
    if (code != SQLITE_OK) database_->fail(code);
  }
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, int value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, double value);
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, const char* value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, std::nullptr_t);
  template <class T>
  void bind_one(int index, const std::optional<T>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      bind_one(index, nullptr);
    }
  }

  struct PutBack {
    IdleStatements* idle;
    void operator()(sqlite3_stmt* statement) const { idle->put(statement); }
  };
  const Database* database_;
  std::unique_ptr<sqlite3_stmt, PutBack> statement_;
};

// All or nothing: rolls back unless commit() succeeded.
class Transaction {
 public:
  // With PRAGMA synchronous = NORMAL what is committed survives the end of the process, and a power
  // failure after the next Database::sync_log(); with FULL, SQLite's default, a power failure.
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace vbo::sqlite

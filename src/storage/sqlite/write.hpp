// SPDX-License-Identifier: MIT
// One write of a study file. Around the transaction it gives two guarantees to people who copy,
// move or delete files:
//   * A file that was copied without its log (-wal) never looks like a complete one. The table
//     file_state says so: at rest `promised` is 0. Before the first write after that, a number is
//     promised and moved into the file itself; the write brings `kept` to that number, in the log.
//     So promised without kept, and no log beside the file, means that the log was left behind.
//   * A file that was deleted or replaced while we had it open is noticed at the next commit, and
//     everything in it is kept in a new file.
#pragma once

#include <mutex>
#include <optional>

#include "storage/notifier.hpp"
#include "storage/sqlite/database.hpp"

namespace vbo::sqlite {

class SqliteStorage;

class Write {
 public:
  // at_once: commit() returns only when the data is on the disk, so that it survives a power
  // failure. Otherwise the data survives the end of the process, and a power failure once anybody
  // has committed something durable after it: the log is written in order. With `soon` the
  // process' syncer sees to that.
  Write(SqliteStorage& storage, Durability durability);
  // Those it is announced to may see the data a moment before it is on the disk; what they make of
  // it comes later in the log and is lost with it.
  void commit(Audience announced_to = Audience::nobody);

 private:
  SqliteStorage& storage_;
  const Durability durability_;
  std::unique_lock<std::mutex> turn_;  // among the connections of this process
  std::optional<Transaction> transaction_;
};

// Somebody has written and not settled: perhaps killed, perhaps still at it.
bool is_promised(Database& database);

// Throws damaged when the file promises more than it shows. `had_log`: a log was beside the file
// before anybody of us opened it.
void require_complete(Database& database, const std::string& path, bool had_log);

}  // namespace vbo::sqlite

// SPDX-License-Identifier: MIT
// What the coordinator writes. read.cpp has what everybody reads, queue.cpp what workers and people
// write, revisions.cpp what people change afterwards.
#include "storage/sqlite/storage.hpp"

#include <algorithm>

#include "core/delivery.hpp"
#include "core/json.hpp"
#include "core/quietly.hpp"
#include "storage/errors.hpp"
#include "storage/process.hpp"
#include "storage/row.hpp"
#include "storage/sqlite/write.hpp"
#include "vbo/version.hpp"

namespace vbo::sqlite {
namespace {

template <class T>
T take(Result<T> result) {
  if (!result) throw Fault{result.error()};
  return std::move(*result);
}

}  // namespace

Result<void> SqliteStorage::create_study(const StudyRecord& record) {
  return attempt([&] {
    require_coordinator();
    const std::string space = take(dump_exact(json_of(record.space)));
    const std::string optimizer = take(dump_exact(json_of(record.optimizer)));
    const std::string objectives = take(dump_exact(json_of(record.objectives)));
    const std::string changes = take(changes_text(record.changes));
    Write write(*this, Durability::at_once);
    if (read_study()) throw Fault{storage_error::study_exists()};
    database_
        .prepare(
            "INSERT INTO study (id, name, objectives, budget, space, optimizer, evaluate, "
            "created_by, start, changes) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(record.name, objectives, record.budget, space, optimizer, record.evaluate_json,
              "vbo " VBO_VERSION, start_text(record.space, record.start), changes)
        .run();
    write.commit();
    space_ = record.space;
  });
}

Result<void> SqliteStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::at_once);
    database_.prepare("UPDATE study SET budget = ?, evaluate = ?")
        .bind(budget, evaluate_json)
        .run();
    if (database_.changes() == 0) throw Fault{storage_error::no_study()};
    write.commit();
  });
}

Result<void> SqliteStorage::set_start(const std::vector<PartialPoint>& start,
                                      std::int64_t request) {
  return attempt([&] {
    require_coordinator();
    require_space();
    Write write(*this, Durability::at_once);
    database_.prepare("UPDATE study SET start = ?").bind(start_text(*space_, start)).run();
    if (request != 0) answer(request, 0);
    write.commit(Audience::workers);
  });
}

Result<void> SqliteStorage::change_settings(const StudyRecord& record) {
  return attempt([&] {
    require_coordinator();
    const std::string space = take(dump_exact(json_of(record.space)));
    const std::string optimizer = take(dump_exact(json_of(record.optimizer)));
    const std::string changes = take(changes_text(record.changes));
    Write write(*this, Durability::at_once);
    database_.prepare("UPDATE study SET space = ?, optimizer = ?, changes = ?")
        .bind(space, optimizer, changes)
        .run();
    if (database_.changes() == 0) throw Fault{storage_error::no_study()};
    write.commit();
    space_ = record.space;
  });
}

Result<double> SqliteStorage::spend(double seconds) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::with_the_next);
    database_.prepare("UPDATE study SET spent = spent + ?").bind(seconds).run();
    Statement select = database_.prepare("SELECT spent FROM study");
    const double spent = select.step() ? select.real(0) : 0.0;
    select.run();
    write.commit();
    return spent;
  });
}

Result<void> SqliteStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report, std::int64_t request,
                                       Durability durability) {
  return attempt([&] {
    require_coordinator();
    require_space();
    Write write(*this, durability);
    Statement insert = database_.prepare(
        "INSERT INTO trials (id, state, params, rationale, asked_in, asked_at, offered, request, "
        "ask_check) VALUES (?, 'waiting', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    const bool ended = !trials.empty() && trials.front().told_in != 0;  // results from outside
    const double now = system_seconds();
    const std::optional<std::int64_t> asked_by =
        request == 0 ? std::nullopt : std::optional(request);
    for (const Trial& trial : trials) {
      const std::string params = dump(json_of(*space_, trial.point));
      const std::string rationale = dump(json_of(trial.rationale));
      insert
          .bind(trial.id, params, rationale, trial.asked_in, now, request == 0 && !ended ? 1 : 0,
                asked_by, ask_check(trial.id, params, rationale, trial.asked_in))
          .run();
      if (database_.changes() == 0) throw Fault{storage_error::id_used(trial.id)};
    }
    if (ended) {
      for (const Trial& trial : trials) store_end(trial, 0);
      count_told(trials);
    }
    if (request != 0) answer(request, std::ssize(trials));
    if (report && !trials.empty()) {
      database_.prepare("INSERT INTO reports (event, round, report) VALUES (?, ?, ?)")
          .bind(trials.front().asked_in, report->round, dump(json_of(*report)))
          .run();
    }
    write.commit(Audience::workers);
  });
}

// Of the suggestions that were asked for, so many are there now.
void SqliteStorage::answer(std::int64_t request, std::int64_t trials) {
  database_
      .prepare(
          "UPDATE requests SET state = CASE WHEN count > ?1 THEN 'open' ELSE 'answered' END, "
          "count = max(0, count - ?1), results = '' WHERE id = ?2 AND state = 'open'")
      .bind(trials, request)
      .run();
  if (database_.changes() == 0) throw Fault{storage_error::no_request(request)};
}

bool SqliteStorage::store_end(const Trial& ended, std::int64_t token, double seconds_ago) {
  std::optional<std::string_view> cause;
  std::optional<std::string_view> message;
  if (ended.failure) {
    cause = to_string(ended.failure->cause);
    message = ended.failure->message;
  }
  if (ended.suggested) require_space();
  const std::string actual = ended.suggested ? actual_text(*space_, ended) : "";
  const std::string metrics = metrics_text(ended.metrics);
  const std::optional<EventId> told =
      ended.told_in == 0 ? std::nullopt : std::optional(ended.told_in);
  database_
      .prepare(
          "UPDATE trials SET state = ?, value = ?, cause = ?, message = ?, metrics = nullif(?, "
          "''), details = nullif(?, ''), "
          "seconds = ?, attempts = ?, told_in = ?, finished_at = ?, end_check = ?, "
          "actual = nullif(?, ''), "
          "finished_seq = (SELECT finished + 1 FROM study), "
          "worker = CASE ? WHEN '' THEN worker ELSE ? END, "
          "token = CASE ? WHEN 0 THEN token ELSE ? END "
          "WHERE id = ? AND told_in IS NULL AND state IN ('waiting', 'running')")
      .bind(to_string(ended.state), ended.value(), cause, message, metrics, details_text(ended),
            ended.seconds, ended.attempts, told, system_seconds() - seconds_ago, end_check(ended),
            actual, ended.worker, ended.worker, token, token, ended.id)
      .run();
  if (database_.changes() == 0) return false;
  database_.execute("UPDATE study SET finished = finished + 1");
  if (!ended.stderr_tail.empty()) {
    database_.prepare("INSERT OR REPLACE INTO outputs (trial, stderr) VALUES (?, ?)")
        .bind(ended.id, ended.stderr_tail)
        .run();
  }
  return true;
}

void SqliteStorage::count_told(std::span<const Trial> trials) {
  const auto count = [&](TrialState state) {
    return std::int64_t{std::ranges::count(trials, state, &Trial::state)};
  };
  database_
      .prepare(
          "UPDATE study SET told_completed = told_completed + ?, told_failed = told_failed + ?, "
          "told_stopped = told_stopped + ?")
      .bind(count(TrialState::completed), count(TrialState::failed), count(TrialState::stopped))
      .run();
}

Result<void> SqliteStorage::finish_trials(std::span<const Trial> trials, Durability durability) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, durability);
    for (const Trial& trial : trials) {
      if (!store_end(trial, 0)) fail_unchanged(trial.id, storage_error::already_ended(trial.id));
    }
    count_told(trials);
    write.commit();
  });
}

Result<void> SqliteStorage::tell_trials(std::span<const Trial> trials) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::with_the_next);
    Statement update = database_.prepare(
        "UPDATE trials SET told_in = ?, end_check = ? "
        "WHERE id = ? AND told_in IS NULL AND finished_seq IS NOT NULL AND end_check = ?");
    for (const Trial& trial : trials) {
      Trial untold = trial;  // as it has to stand there
      untold.told_in = 0;
      update.bind(trial.told_in, end_check(trial), trial.id, end_check(untold)).run();
      if (database_.changes() == 0) {
        fail_unchanged(trial.id, storage_error::not_ended(trial.id));
      }
    }
    count_told(trials);
    write.commit();
  });
}

Result<void> SqliteStorage::offer(std::span<const TrialId> ids) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::with_the_next);
    database_.execute(
        "UPDATE trials SET offered = 0 WHERE told_in IS NULL AND state IN ('waiting', 'running') "
        "AND offered = 1");
    Statement update = database_.prepare(
        "UPDATE trials SET offered = 1 "
        "WHERE id = ? AND told_in IS NULL AND state IN ('waiting', 'running')");
    for (const TrialId id : ids) update.bind(id).run();
    write.commit(Audience::workers);
  });
}

Result<void> SqliteStorage::set_ended(bool ended) {
  return attempt([&] {
    require_coordinator();
    {
      // Over before the write begins: while a statement reads, SQLite does not wait for others who
      // write, but fails at once.
      Statement select = database_.prepare("SELECT ended FROM study");
      if (select.step() && (select.integer(0) != 0) == ended) return;
    }
    Write write(*this, Durability::with_the_next);
    database_.prepare("UPDATE study SET ended = ?").bind(ended ? 1 : 0).run();
    write.commit(Audience::workers);
  });
}

Result<void> SqliteStorage::settle() {
  return attempt([&] {
    if (access_ == Access::read) return;
    const std::scoped_lock turn(*writing_);
    {
      Transaction transaction(database_);
      require_own_file();
      database_.execute("UPDATE file_state SET promised = 0, kept = 0 WHERE promised <> 0");
      transaction.commit();
    }
    make_durable();
    database_.checkpoint();
  });
}

SqliteStorage::SqliteStorage(const std::string& path, Database database,
                             std::optional<WriterLock> lock, double wait_seconds)
    : path_(path),
      access_(lock ? Access::coordinate : Access::queue),
      wait_seconds_(wait_seconds),
      lock_(std::move(lock)),
      database_(std::move(database)),
      wrote_(is_promised(database_)) {
  database_.execute("PRAGMA synchronous = NORMAL");  // make_durable() does the rest
  base_.emplace(database_, path_);
}

bool BaseFile::look(const Database& database, const std::string& path) {
  if (overwritten_) return false;
  const auto before = database.checkpoints();
  const FileStamp stamp = FileStamp::of(path);
  // A checkpoint since then: the next look has both as they are after it.
  if (!before || database.checkpoints() != before) return true;
  // With another inode it is another file: see Database::has_moved().
  overwritten_ = seen_ && seen_->checkpoints == *before && stamp != seen_->stamp &&
                 stamp.inode == seen_->stamp.inode;
  seen_ = {stamp, *before};
  return !overwritten_;
}

void SqliteStorage::require_own_file() {
  if (!base_ || base_->look(database_, path_)) return;
  throw Fault{{ErrorKind::damaged,
               "\"" + path_ +
                   "\" was overwritten by another program while it was in use; results stored "
                   "before may be lost. To go on with what was copied there, end every vbo that "
                   "uses it, remove \"" +
                   path_ + "-wal\" and \"" + path_ + "-shm\", and copy it again"}};
}

void SqliteStorage::make_durable() {
  if (!sync_failed_) {
    const Result<void> synced = attempt([&] { database_.sync_log(); });
    if (synced) return;
    sync_failed_ = true;
  }
  // The system may have given up what it could not write to the log, and says so once. Only what
  // has arrived in the file itself counts now.
  if (!database_.checkpoint()) {
    throw Fault{
        {ErrorKind::io, "\"" + path_ + "\": what was written cannot be flushed to the disk"}};
  }
  sync_failed_ = false;
}

// A background sync that failed: only what has arrived in the file itself counts now.
void SqliteStorage::recover_syncs() {
  const std::int64_t number = syncer_->last();
  sync_failed_ = true;
  make_durable();
  syncer_->recovered(number);
}

Result<std::int64_t> SqliteStorage::durable(std::int64_t at_least) {
  return attempt([&] {
    const std::int64_t made = durable_ + std::ssize(soon_);
    at_least = std::min(at_least, made);
    if (!soon_.empty()) {
      const std::int64_t number =
          at_least > durable_ ? soon_[static_cast<std::size_t>(at_least - durable_ - 1)] : 0;
      Result<std::int64_t> done = syncer_->done(number);
      if (!done) recover_syncs();
      const std::int64_t on_disk = done ? *done : soon_.back();
      while (!soon_.empty() && soon_.front() <= on_disk) {
        soon_.pop_front();
        ++durable_;
      }
    }
    return durable_;
  });
}

SqliteStorage::~SqliteStorage() {
  // Whoever stops writing leaves a file that is complete by itself. When others are at it, it
  // cannot be, and the last of them sees to it.
  // Where that fails the log has to stay: without it the file would be refused.
  bool settled = false;
  quietly([&] {
    if (access_ != Access::read) require_own_file();
    settled = !wrote_ || static_cast<bool>(settle());
  });
  if (!settled) database_.keep_log();
}

Result<void> SqliteStorage::save_snapshot(const Snapshot& snapshot) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::with_the_next);
    database_
        .prepare(
            "INSERT OR REPLACE INTO snapshot (id, after_event, bytes, checksum) "
            "VALUES (1, ?, CAST(? AS BLOB), ?)")
        .bind(snapshot.after, snapshot.bytes, bytes_check(snapshot.bytes))
        .run();
    write.commit();
  });
}

void SqliteStorage::require_coordinator() const {
  if (access_ == Access::read) {
    throw Fault{{ErrorKind::io, "\"" + path_ + "\" was opened for reading only"}};
  }
  if (access_ != Access::coordinate) throw Fault{storage_error::not_coordinating()};
}

void SqliteStorage::fail_unchanged(TrialId id, const Error& otherwise) {
  Statement select = database_.prepare("SELECT 1 FROM trials WHERE id = ?");
  throw Fault{select.bind(id).step() ? otherwise : storage_error::no_trial(id)};
}

}  // namespace vbo::sqlite

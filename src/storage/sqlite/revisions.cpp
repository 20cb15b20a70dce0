// SPDX-License-Identifier: MIT
// What people change afterwards. Each call is one short transaction.
#include <set>

#include "storage/errors.hpp"
#include "storage/process.hpp"
#include "storage/result_of_trial.hpp"
#include "storage/row.hpp"
#include "storage/sqlite/storage.hpp"
#include "storage/sqlite/write.hpp"

namespace vbo::sqlite {

void SqliteStorage::log_revision(RevisionKind kind, const Trial& before,
                                 const std::string& reason) {
  require_space();
  const std::string text = trial_text(*space_, before);
  database_
      .prepare(
          "INSERT INTO revisions (trial, kind, reason, before, made_at, checksum) "
          "VALUES (?, ?, ?, ?, ?, ?)")
      .bind(before.id, to_string(kind), reason, text, system_seconds(), bytes_check(text))
      .run();
}

Trial SqliteStorage::read_for_revision(TrialId id) {
  std::optional<Trial> stored = read_one(id);
  if (!stored) throw Fault{storage_error::no_trial(id)};
  return std::move(*stored);
}

Result<void> SqliteStorage::replace(const Trial& ended, const std::string& reason) {
  return attempt([&] {
    Write write(*this, Durability::at_once);
    const Trial stored = read_for_revision(ended.id);
    if (!stored.has_ended()) throw Fault{storage_error::still_open(stored)};
    if (same_result(stored, ended)) return;
    log_revision(RevisionKind::replaced, stored, reason);
    const Trial revised = with_result_of(stored, ended);
    std::optional<std::string_view> cause;
    std::optional<std::string_view> message;
    if (revised.failure) {
      cause = to_string(revised.failure->cause);
      message = revised.failure->message;
    }
    database_
        .prepare(
            "UPDATE trials SET state = ?, value = ?, cause = ?, message = ?, "
            "metrics = nullif(?, ''), details = nullif(?, ''), actual = nullif(?, ''), end_check = "
            "? WHERE id = ?")
        .bind(to_string(revised.state), revised.value(), cause, message,
              metrics_text(revised.metrics), details_text(revised), actual_text(*space_, revised),
              end_check(revised), revised.id)
        .run();
    if (stored.told_in != 0) count_again(stored.state, revised.state);
    write.commit(Audience::coordinator);
  });
}

// The counts of told trials, when one of them is something else now.
void SqliteStorage::count_again(TrialState before, std::optional<TrialState> now) {
  const auto change = [&](TrialState state) {
    return std::int64_t{now == state} - std::int64_t{before == state};
  };
  database_
      .prepare(
          "UPDATE study SET told_completed = told_completed + ?, told_failed = told_failed + ?, "
          "told_stopped = told_stopped + ?")
      .bind(change(TrialState::completed), change(TrialState::failed), change(TrialState::stopped))
      .run();
}

Result<void> SqliteStorage::drop(std::span<const TrialId> ids, const std::string& reason) {
  return attempt([&] {
    Write write(*this, Durability::at_once);
    Statement retried =
        database_.prepare("SELECT 1 FROM revisions WHERE trial = ? AND kind = 'retried'");
    std::set<TrialId> gone;
    for (const TrialId id : ids) {
      if (!gone.insert(id).second) continue;  // named twice
      const Trial stored = read_for_revision(id);
      if (stored.state != TrialState::waiting) throw Fault{storage_error::not_waiting(stored)};
      if (retried.bind(id).step()) throw Fault{storage_error::is_retry(id)};
      log_revision(RevisionKind::dropped, stored, reason);
      database_.prepare("DELETE FROM outputs WHERE trial = ?").bind(id).run();
      database_.prepare("DELETE FROM trials WHERE id = ?").bind(id).run();
    }
    write.commit(Audience::coordinator);
  });
}

Result<void> SqliteStorage::retry(std::span<const TrialId> ids, const std::string& reason) {
  return attempt([&] {
    Write write(*this, Durability::at_once);
    std::set<TrialId> again;
    for (const TrialId id : ids) {
      if (!again.insert(id).second) continue;  // named twice
      const Trial stored = read_for_revision(id);
      if (stored.state != TrialState::failed) throw Fault{storage_error::not_failed(stored)};
      log_revision(RevisionKind::retried, stored, reason);
      database_.prepare("DELETE FROM outputs WHERE trial = ?").bind(id).run();
      database_
          .prepare(
              "UPDATE trials SET state = 'waiting', cause = NULL, message = NULL, told_in = NULL, "
              "finished_seq = NULL, finished_at = 0, end_check = NULL, actual = NULL, "
              "details = NULL, offered = 1, losses = 0 WHERE id = ?")
          .bind(id)
          .run();
      if (stored.told_in != 0) count_again(stored.state, std::nullopt);
    }
    write.commit(Audience::everybody);
  });
}

Result<void> SqliteStorage::apply_revisions(std::span<const std::int64_t> ids, EventId event) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::at_once);
    for (const std::int64_t id : ids) {
      database_.prepare("UPDATE revisions SET event = ? WHERE id = ?").bind(event, id).run();
      if (database_.changes() == 0) throw Fault{storage_error::no_revision(id)};
    }
    write.commit();
  });
}

}  // namespace vbo::sqlite

// SPDX-License-Identifier: MIT
// What people change afterwards, each call in one transaction; and the few things beside trials
// that a study keeps.
#include <set>

#include "storage/errors.hpp"
#include "storage/postgres/storage.hpp"
#include "storage/result_of_trial.hpp"
#include "storage/row.hpp"

namespace vbo::postgres {

void PostgresStorage::log_revision(RevisionKind kind, const Trial& before,
                                   const std::string& reason) {
  require_space();
  const std::string text = trial_text(*space_, before);
  connection_.query(
      "INSERT INTO vbo.revisions (study, trial, kind, reason, before, made_at, checksum) "
      "VALUES ($1, $2, $3, $4, $5, vbo.clock(), $6)",
      {study_, before.id, to_string(kind), Parameter::bytes(reason), Parameter::bytes(text),
       bytes_check(text)});
}

// With its row locked until the transaction ends.
Trial PostgresStorage::read_for_revision(TrialId id) {
  connection_.query("SELECT 1 FROM vbo.trials WHERE study = $1 AND id = $2 FOR UPDATE",
                    {study_, id});
  std::optional<Trial> stored = read_one(id);
  if (!stored) throw Fault{storage_error::no_trial(id)};
  return std::move(*stored);
}

// The counts of told trials, when one of them is something else now.
void PostgresStorage::count_again(TrialState before, std::optional<TrialState> now) {
  const auto change = [&](TrialState state) {
    return std::int64_t{now == state} - std::int64_t{before == state};
  };
  connection_.query(
      "UPDATE vbo.studies SET told_completed = told_completed + $2, "
      "told_failed = told_failed + $3, told_stopped = told_stopped + $4 WHERE id = $1",
      {study_, change(TrialState::completed), change(TrialState::failed),
       change(TrialState::stopped)});
}

Result<void> PostgresStorage::replace(const Trial& ended, const std::string& reason) {
  return attempt([&] {
    require_write();
    require_space();
    Transaction transaction(connection_);
    const Trial stored = read_for_revision(ended.id);
    if (!stored.has_ended()) throw Fault{storage_error::still_open(stored)};
    if (same_result(stored, ended)) return;
    log_revision(RevisionKind::replaced, stored, reason);
    const Trial revised = with_result_of(stored, ended);
    Parameter cause(std::nullopt);
    Parameter message(std::nullopt);
    if (revised.failure) {
      cause = Parameter(to_string(revised.failure->cause));
      message = Parameter::bytes(revised.failure->message);
    }
    connection_.query(
        "UPDATE vbo.trials SET state = $3, value = $4, cause = $5, message = $6, "
        "metrics = nullif($7, ''), actual = nullif($8, ''), end_check = $9, "
        "details = nullif($10, '') "
        "WHERE study = $1 AND id = $2",
        {study_, revised.id, to_string(revised.state), revised.value(), cause, message,
         metrics_text(revised.metrics), actual_text(*space_, revised), end_check(revised),
         details_text(revised)});
    if (stored.told_in != 0) count_again(stored.state, revised.state);
    transaction.commit();
    notify(for_coordinator_);
  });
}

Result<void> PostgresStorage::drop(std::span<const TrialId> ids, const std::string& reason) {
  return attempt([&] {
    require_write();
    require_space();
    Transaction transaction(connection_);
    for (const TrialId id : std::set<TrialId>(ids.begin(), ids.end())) {
      const Trial stored = read_for_revision(id);
      if (stored.state != TrialState::waiting) throw Fault{storage_error::not_waiting(stored)};
      const Rows retried = connection_.query(
          "SELECT 1 FROM vbo.revisions WHERE study = $1 AND trial = $2 AND kind = 'retried'",
          {study_, id});
      if (!retried.empty()) throw Fault{storage_error::is_retry(id)};
      log_revision(RevisionKind::dropped, stored, reason);
      connection_.query("DELETE FROM vbo.outputs WHERE study = $1 AND trial = $2", {study_, id});
      connection_.query("DELETE FROM vbo.trials WHERE study = $1 AND id = $2", {study_, id});
    }
    transaction.commit();
    notify(for_coordinator_);
  });
}

Result<void> PostgresStorage::retry(std::span<const TrialId> ids, const std::string& reason) {
  return attempt([&] {
    require_write();
    require_space();
    Transaction transaction(connection_);
    for (const TrialId id : std::set<TrialId>(ids.begin(), ids.end())) {
      const Trial stored = read_for_revision(id);
      if (stored.state != TrialState::failed) throw Fault{storage_error::not_failed(stored)};
      log_revision(RevisionKind::retried, stored, reason);
      connection_.query("DELETE FROM vbo.outputs WHERE study = $1 AND trial = $2", {study_, id});
      connection_.query(
          "UPDATE vbo.trials SET state = 'waiting', cause = NULL, message = NULL, told_in = NULL, "
          "details = NULL, "
          "finished_seq = NULL, finished_at = 0, end_check = NULL, actual = NULL, offered = true, "
          "losses = 0 WHERE study = $1 AND id = $2",
          {study_, id});
      if (stored.told_in != 0) count_again(stored.state, std::nullopt);
    }
    transaction.commit();
    notify(for_coordinator_);
    notify(for_workers_);
  });
}

Result<std::vector<Revision>> PostgresStorage::load_revisions(bool unapplied_only) {
  return attempt([&] {
    require_space();
    const Rows rows = connection_.query(
        "SELECT id, kind, reason, before, made_at, event, checksum FROM vbo.revisions "
        "WHERE study = $1 AND ($2::boolean = false OR event IS NULL) ORDER BY id",
        {study_, unapplied_only});
    std::vector<Revision> revisions;
    for (int i = 0; i < rows.size(); ++i) {
      Revision& revision = revisions.emplace_back();
      revision.id = rows.integer(i, 0);
      const std::string where =
          "study \"" + study_name_ + "\": revision " + std::to_string(revision.id);
      const auto kind = revision_kind_from(rows.text(i, 1));
      const std::string before = rows.bytes(i, 3);
      if (!kind || rows.integer(i, 6) != bytes_check(before)) {
        throw Fault{{ErrorKind::damaged, where + " is damaged (the checksum differs)"}};
      }
      Result<Trial> trial = trial_from(*space_, before);
      if (!trial) {
        throw Fault{{ErrorKind::damaged, where + " is damaged: " + trial.error().message}};
      }
      revision.kind = *kind;
      revision.reason = rows.bytes(i, 2);
      revision.before = std::move(*trial);
      revision.made_at = rows.real(i, 4);
      revision.event = rows.integer(i, 5);
    }
    return revisions;
  });
}

Result<void> PostgresStorage::apply_revisions(std::span<const std::int64_t> ids, EventId event) {
  return coordinated([&] {
    for (const std::int64_t id : ids) {
      const Rows updated = connection_.query(
          "UPDATE vbo.revisions SET event = $3 WHERE study = $1 AND id = $2", {study_, id, event});
      if (updated.changed() == 0) throw Fault{storage_error::no_revision(id)};
    }
  });
}

Result<void> PostgresStorage::set_start(const std::vector<PartialPoint>& start,
                                        std::int64_t request) {
  return coordinated([&] {
    require_space();
    connection_.query("UPDATE vbo.studies SET start = $2 WHERE id = $1",
                      {study_, start_text(*space_, start)});
    if (request != 0) answer(request, 0);
  });
}

Result<double> PostgresStorage::spend(double seconds) {
  double spent = 0.0;
  const Result<void> done = coordinated([&] {
    const Rows row = connection_.query(
        "UPDATE vbo.studies SET spent = spent + $2::float8 WHERE id = $1 RETURNING spent",
        {study_, seconds});
    if (!row.empty()) spent = row.real(0, 0);
  });
  return done ? Result<double>(spent) : done.error();
}

Result<std::int64_t> PostgresStorage::bring(const Delivery& delivery, const std::string& who) {
  return attempt([&] {
    require_write();
    require_space();
    const Rows row = connection_.query(
        "INSERT INTO vbo.requests (study, count, who, made_at, results) "
        "VALUES ($1, 0, $2, vbo.clock(), $3) RETURNING id",
        {study_, who, delivery_text(*space_, delivery)});
    notify(for_coordinator_);
    return row.integer(0, 0);
  });
}

}  // namespace vbo::postgres

// SPDX-License-Identifier: MIT
// What workers and people write: claims, leases, results, requests. A claim and a result are one
// statement each; nothing here touches the study's own row, so that nobody waits for anybody.
#include <algorithm>

#include "storage/errors.hpp"
#include "storage/postgres/storage.hpp"
#include "storage/process.hpp"
#include "storage/result_of_trial.hpp"
#include "storage/row.hpp"

namespace vbo::postgres {
namespace {

// Part of a statement whose loss in a power failure does no harm: it does not wait for the disk. A
// claim that is lost is claimed again, and the result of either counts; a sign of life comes again.
#define VBO_RELAXED "relaxed AS (SELECT set_config('synchronous_commit', 'off', true))"

// Who locks several trials does so in the order of their ids, and first of all: two who lock the
// same ones in different orders wait for each other, until PostgreSQL ends one of them.
#define VBO_LOCKED_IN_ORDER(condition) \
  "id = ANY (ARRAY (SELECT id FROM vbo.trials WHERE " condition " ORDER BY id FOR UPDATE))"

std::string list_of(std::span<const std::int64_t> numbers) {
  std::string list = "{";
  for (const std::int64_t number : numbers) {
    list += (list.size() > 1 ? "," : "") + std::to_string(number);
  }
  return list + "}";
}

}  // namespace

Result<std::vector<Claim>> PostgresStorage::claim(const WorkerInfo& worker, std::int64_t most,
                                                  double lease_seconds) {
  return attempt([&] {
    require_write();
    // By an array: the planner takes a LIMIT it does not know for a tenth of the table, and would
    // join with all of it.
    const Rows rows = connection_.query(
        "WITH " VBO_RELAXED
        " UPDATE vbo.trials t SET state = 'running', attempts = attempts + 1, "
        "started_at = vbo.clock(), worker = $3, process = $4, token = nextval('vbo.token'), "
        "lease_until = vbo.clock() + $5::float8, lease_seconds = $5::float8 FROM relaxed WHERE "
        "t.study = $1 AND t.id = ANY "
        "(ARRAY (SELECT id FROM vbo.trials WHERE study = $1 AND told_in IS NULL AND "
        "state = 'waiting' AND offered ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)) "
        "RETURNING t.id, t.state, t.params, t.value, t.cause, t.message, t.seconds, t.attempts, "
        "t.rationale, t.asked_in, t.told_in, t.metrics, t.asked_at, t.started_at, t.finished_at, "
        "t.worker, t.ask_check, t.end_check, t.actual, t.details, t.token",
        {study_, most, worker.name, worker.process, lease_seconds});
    const std::vector<Trial> trials = read_trials(rows, false);
    std::vector<Claim> claims;
    claims.reserve(trials.size());
    for (int i = 0; i < rows.size(); ++i) {
      claims.push_back({trials[static_cast<std::size_t>(i)], rows.integer(i, 20)});
    }
    if (listens_ && std::ssize(claims) == most) {  // busy from now on
      connection_.unlisten();
      listens_ = false;
    }
    std::sort(claims.begin(), claims.end(),
              [](const Claim& a, const Claim& b) { return a.trial.id < b.trial.id; });
    return claims;
  });
}

Result<std::vector<std::int64_t>> PostgresStorage::renew(const WorkerInfo& worker,
                                                         std::span<const std::int64_t> tokens,
                                                         double lease_seconds) {
  return attempt([&] {
    require_write();
    const Rows rows = connection_.query(
        "WITH " VBO_RELAXED
        ", seen AS (INSERT INTO vbo.workers (study, process, name, host, slots, "
        "completed, started_at, seen_at) SELECT $1::bigint, $2, $3, $4, $5::bigint, $6::bigint, "
        "vbo.clock(), vbo.clock() "
        "FROM relaxed "
        "ON CONFLICT (study, process, name) DO UPDATE SET slots = excluded.slots, "
        "completed = excluded.completed, seen_at = excluded.seen_at) "
        "UPDATE vbo.trials SET lease_until = vbo.clock() + $8::float8, lease_seconds = $8::float8 "
        "WHERE study = $1 AND "
        "told_in IS NULL AND state = 'running' AND token = ANY ($7::bigint[]) "
        "AND " VBO_LOCKED_IN_ORDER("study = $1 AND told_in IS NULL AND state = 'running' AND "
                                   "token = ANY ($7::bigint[])") " RETURNING token",
        {study_, worker.process, worker.name, worker.host, worker.slots, worker.completed,
         list_of(tokens), lease_seconds});
    std::vector<std::int64_t> valid;
    valid.reserve(static_cast<std::size_t>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) valid.push_back(rows.integer(i, 0));
    return valid;
  });
}

Result<std::vector<Completion>> PostgresStorage::complete_all(std::span<const Claim> ended) {
  return attempt([&] {
    require_write();
    std::vector<Completion> completions;
    std::optional<Transaction> together;  // a single statement is one by itself
    if (ended.size() > 1) {
      together.emplace(connection_);
      std::vector<std::int64_t> ids;
      for (const Claim& claim : ended) ids.push_back(claim.trial.id);
      connection_.query(
          "SELECT 1 FROM vbo.trials WHERE study = $1 AND id = ANY ($2::bigint[]) ORDER BY id "
          "FOR UPDATE",
          {study_, list_of(ids)});
    }
    for (const Claim& claim : ended) completions.push_back(complete_one(claim));
    if (together) together->commit();
    notify(for_coordinator_);
    return completions;
  });
}

Completion PostgresStorage::complete_one(const Claim& claim) {
  const auto& [ended, token, ended_at] = claim;
  Trial trial = ended;
  trial.told_in = 0;
  if (store_end(trial, token, seconds_since(ended_at))) return Completion::recorded;
  const std::optional<Trial> stored = read_one(ended.id);
  if (token != 0 && (!stored || !stored->has_ended())) return Completion::unknown;
  if (!stored) throw Fault{storage_error::no_trial(ended.id)};
  const Rows row = connection_.query("SELECT token FROM vbo.trials WHERE study = $1 AND id = $2",
                                     {study_, ended.id});
  const bool same_teller = token == 0 || row.integer(0, 0) == token;
  // The same once more: the answer to the first may have got lost.
  if (same_teller && same_result(*stored, ended)) return Completion::recorded;
  if (token == 0) throw Fault{storage_error::already_ended(*stored)};
  Parameter cause(std::nullopt);
  Parameter message(std::nullopt);
  if (ended.failure) {
    cause = Parameter(to_string(ended.failure->cause));
    message = Parameter::bytes(ended.failure->message);
  }
  connection_.query(
      "INSERT INTO vbo.late_results (study, trial, received_at, worker, value, cause, message, "
      "metrics, seconds, details) VALUES ($1, $2, vbo.clock(), $3, $4, $5, $6, nullif($7, ''), "
      "$8, nullif($9, ''))",
      {study_, ended.id, ended.worker, ended.value(), cause, message, metrics_text(ended.metrics),
       ended.seconds, details_text(ended)});
  return Completion::second;
}

Result<void> PostgresStorage::give_back(std::span<const std::int64_t> tokens) {
  return attempt([&] {
    require_write();
    connection_.query(
        "UPDATE vbo.trials SET state = 'waiting', attempts = attempts - 1 WHERE study = $1 AND "
        "told_in IS NULL AND state = 'running' AND token = ANY ($2::bigint[]) "
        "AND " VBO_LOCKED_IN_ORDER("study = $1 AND told_in IS NULL AND state = 'running' AND "
                                   "token = ANY ($2::bigint[])"),
        {study_, list_of(tokens)});
    notify(for_workers_);
  });
}

Result<void> PostgresStorage::leave(const WorkerInfo& worker) {
  return attempt([&] {
    require_write();
    connection_.query("DELETE FROM vbo.workers WHERE study = $1 AND process = $2 AND name = $3",
                      {study_, worker.process, worker.name});
  });
}

Result<std::int64_t> PostgresStorage::return_lost(bool blame) {
  return attempt([&]() -> std::int64_t {
    require_write();
    const Rows running = connection_.query(
        "SELECT token, process, lease_until < vbo.clock(), "
        "lease_until > vbo.clock() + lease_seconds FROM vbo.trials WHERE study = $1 "
        "AND told_in IS NULL AND state = 'running'",
        {study_});
    std::map<std::string, bool> known;
    const auto is_gone = [&](std::string_view name) {
      const auto [entry, fresh] = known.try_emplace(std::string(name), false);
      if (fresh) entry->second = process_is_gone(entry->first);
      return entry->second;
    };
    std::vector<std::int64_t> lost;
    bool set_back = false;
    for (int i = 0; i < running.size(); ++i) {
      set_back = set_back || running.flag(i, 3);
      if (running.flag(i, 2) || is_gone(running.text(i, 1))) lost.push_back(running.integer(i, 0));
    }
    std::string gone = "{";
    if (lead_) {  // workers have only trials to look at: there may be a thousand of them
      const Rows workers = connection_.query(
          "SELECT process, bool_or(seen_at > vbo.clock()) FROM vbo.workers WHERE study = $1 "
          "GROUP BY 1",
          {study_});
      for (int i = 0; i < workers.size(); ++i) {
        (void)is_gone(workers.text(i, 0));
        set_back = set_back || workers.flag(i, 1);
      }
    }
    if (set_back) shorten_leases();
    for (const auto& [process, is_over] : known) {
      if (is_over) gone += (gone.size() > 1 ? ",\"" : "\"") + process + "\"";
    }
    gone += "}";
    if (lost.empty() && gone.size() == 2) return 0;
    Transaction transaction(connection_);
    // By token: a lease that was renewed, or a trial that ended, meanwhile stays as it is.
    const Rows returned = connection_.query(
        "UPDATE vbo.trials SET state = 'waiting', losses = losses + $3::int WHERE study = $1 AND "
        "told_in IS NULL AND state = 'running' AND token = ANY ($2::bigint[]) AND "
        "(lease_until < vbo.clock() OR process = ANY ($4::text[])) AND " VBO_LOCKED_IN_ORDER(
            "study = $1 AND told_in IS NULL AND state = 'running' AND "
            "token = ANY ($2::bigint[])") " RETURNING id, losses",
        {study_, list_of(lost), blame ? 1 : 0, gone});
    for (int i = 0; blame && i < returned.size(); ++i) {
      const auto losses = static_cast<int>(returned.integer(i, 1));
      if (losses < kMostLosses) continue;
      Trial trial = *read_one(returned.integer(i, 0));
      trial.state = TrialState::failed;
      trial.failure = storage_error::lost_too_often(losses);
      store_end(trial, 0);
    }
    connection_.query(
        "DELETE FROM vbo.workers WHERE study = $1 AND (seen_at < vbo.clock() - $2::float8 OR "
        "process = ANY ($3::text[]))",
        {study_, 10 * kLeaseSeconds, gone});
    transaction.commit();
    notify(for_workers_);
    notify(for_coordinator_);
    return returned.size();
  });
}

// The server's clock was set back: what was given before may end days from now. Whoever lives
// renews, and the leases of the others end as if they had been given now.
void PostgresStorage::shorten_leases() {
  connection_.query(
      "UPDATE vbo.trials SET lease_until = vbo.clock() + lease_seconds WHERE study = $1 AND "
      "told_in IS NULL AND state = 'running' AND lease_until > vbo.clock() + lease_seconds "
      "AND " VBO_LOCKED_IN_ORDER("study = $1 AND told_in IS NULL AND state = 'running'"),
      {study_});
  connection_.query(
      "UPDATE vbo.workers SET seen_at = vbo.clock() WHERE study = $1 AND seen_at > vbo.clock()",
      {study_});
}

Result<std::int64_t> PostgresStorage::request(std::int64_t count, const std::string& who) {
  return attempt([&] {
    require_write();
    require_space();
    const Rows row = connection_.query(
        "INSERT INTO vbo.requests (study, count, who, made_at) VALUES ($1, $2, $3, vbo.clock()) "
        "RETURNING id",
        {study_, count, who});
    notify(for_coordinator_);
    return row.integer(0, 0);
  });
}

void PostgresStorage::answer_with_what_there_is(std::int64_t request) {
  connection_.query(
      "UPDATE vbo.requests SET state = 'answered', count = 0 WHERE study = $1 AND id = $2 AND "
      "state = 'open' AND EXISTS (SELECT 1 FROM vbo.trials WHERE study = $1 AND request = $2)",
      {study_, request});
}

Result<void> PostgresStorage::withdraw_request(std::int64_t id) {
  return attempt([&] {
    require_write();
    answer_with_what_there_is(id);
    connection_.query("DELETE FROM vbo.requests WHERE study = $1 AND id = $2 AND state = 'open'",
                      {study_, id});
  });
}

Result<std::vector<AskRequest>> PostgresStorage::load_requests() {
  return attempt([&] {
    const Rows rows = connection_.query(
        "SELECT id, count, who, results FROM vbo.requests WHERE study = $1 AND state = 'open' "
        "ORDER BY id",
        {study_});
    std::vector<AskRequest> requests;
    requests.reserve(static_cast<std::size_t>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
      AskRequest& request = requests.emplace_back();
      request = {rows.integer(i, 0), rows.integer(i, 1), std::string(rows.text(i, 2)), {}};
      if (rows.text(i, 3).empty()) continue;
      require_space();
      Result<Delivery> delivery = delivery_from(*space_, rows.text(i, 3));
      if (!delivery) throw Fault{delivery.error()};
      request.delivery = std::move(*delivery);
    }
    return requests;
  });
}

Result<void> PostgresStorage::refuse_request(std::int64_t id, const std::string& why) {
  return attempt([&] {
    require_write();
    answer_with_what_there_is(id);
    connection_.query(
        "UPDATE vbo.requests SET state = 'refused', message = $3 WHERE study = $1 AND id = $2 AND "
        "state = 'open'",
        {study_, id, why});
    notify(for_workers_);
  });
}

Result<QueueState> PostgresStorage::queue_state() {
  return attempt([&] {
    const Rows open = connection_.query(
        "SELECT state, offered, count(*) FROM vbo.trials WHERE study = $1 AND told_in IS NULL "
        "GROUP BY 1, 2",
        {study_});
    QueueState queue;
    for (int i = 0; i < open.size(); ++i) {
      const std::int64_t count = open.integer(i, 2);
      if (open.text(i, 0) == "running") {
        queue.running += count;
      } else if (open.text(i, 0) != "waiting") {
        queue.untold += count;
      } else if (open.flag(i, 1)) {
        queue.offered += count;
      }
    }
    if (access_ == Access::queue) {  // a worker asks whether to exit
      const Rows study = connection_.query("SELECT ended FROM vbo.studies WHERE id = $1", {study_});
      queue.ended = !study.empty() && study.flag(0, 0);
      return queue;
    }
    const Rows rest = connection_.query(
        "SELECT (SELECT count(*) FROM vbo.requests WHERE study = $1 AND state = 'open'), "
        "(SELECT coalesce(sum(slots), 0)::bigint FROM vbo.workers WHERE study = $1 AND "
        "seen_at > vbo.clock() - $2::float8), ended FROM vbo.studies WHERE id = $1",
        {study_, kLeaseSeconds});
    if (!rest.empty()) {
      queue.requests = rest.integer(0, 0);
      queue.slots = rest.integer(0, 1);
      queue.ended = rest.flag(0, 2);
    }
    return queue;
  });
}

Result<std::vector<WorkerInfo>> PostgresStorage::load_workers() {
  return attempt([&] {
    const Rows rows = connection_.query(
        "SELECT w.name, w.host, w.process, w.slots, greatest(w.completed, t.ended), w.started_at, "
        "w.seen_at, w.seen_at > vbo.clock() - $2::float8 FROM vbo.workers w LEFT JOIN (SELECT "
        "process, worker, count(*) AS ended FROM vbo.trials WHERE study = $1 AND finished_seq IS "
        "NOT NULL GROUP BY process, worker) t ON t.process = w.process AND t.worker = w.name "
        "WHERE w.study = $1 ORDER BY w.started_at, w.name",
        {study_, kLeaseSeconds});
    std::vector<WorkerInfo> workers;
    for (int i = 0; i < rows.size(); ++i) {
      WorkerInfo worker;
      worker.name = rows.text(i, 0);
      worker.host = rows.text(i, 1);
      worker.process = rows.text(i, 2);
      worker.slots = rows.integer(i, 3);
      worker.completed = rows.integer(i, 4);
      worker.started_at = rows.real(i, 5);
      worker.seen_at = rows.real(i, 6);
      worker.alive = rows.flag(i, 7) && !process_is_gone(worker.process);
      workers.push_back(std::move(worker));
    }
    return workers;
  });
}

Result<double> PostgresStorage::now() {
  return attempt([&] { return connection_.query("SELECT vbo.clock()").real(0, 0); });
}

// Never inside a transaction that writes: PostgreSQL lets one transaction with a notification
// commit at a time, and each would wait for the disk while it holds that lock. Alone, it waits for
// nothing. What is stored stays stored when the notification fails: everybody also looks by
// himself.
void PostgresStorage::notify(const std::string& channel) {
  (void)attempt([&] { connection_.query("SELECT pg_notify($1, '')", {channel}); });
}

// A notification wakes every connection of the database that listens to anything. Hundreds of busy
// workers must not: they listen while they have nothing to do.
Result<bool> PostgresStorage::wait(std::chrono::milliseconds at_most) {
  return attempt([&] {
    if (access_ == Access::queue && !listens_) {
      connection_.listen(for_workers_);
      listens_ = true;
      return true;  // notifications before may have been missed
    }
    return connection_.wait(at_most);
  });
}

}  // namespace vbo::postgres

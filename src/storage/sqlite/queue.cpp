// SPDX-License-Identifier: MIT
// What workers and people write: claims, leases, results, requests. Each call is one short
// transaction; claims and signs of life need not survive a power failure, results do.
#include <algorithm>

#include "core/delivery.hpp"
#include "storage/errors.hpp"
#include "storage/process.hpp"
#include "storage/result_of_trial.hpp"
#include "storage/row.hpp"
#include "storage/sqlite/storage.hpp"
#include "storage/sqlite/write.hpp"

namespace vbo::sqlite {

void SqliteStorage::see(const WorkerInfo& worker) {
  const double now = system_seconds();
  database_
      .prepare(
          "INSERT INTO workers (process, name, host, slots, completed, started_at, seen_at) "
          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (process, name) DO UPDATE SET "
          "slots = excluded.slots, completed = excluded.completed, seen_at = excluded.seen_at")
      .bind(worker.process, worker.name, worker.host, worker.slots, worker.completed, now, now)
      .run();
}

Result<std::vector<Claim>> SqliteStorage::claim(const WorkerInfo& worker, std::int64_t most,
                                                double lease_seconds) {
  return attempt([&] {
    if (most < 1 || !has_offers()) return std::vector<Claim>();
    Write write(*this, Durability::with_the_next);
    std::vector<Claim> claims = take_offers(worker, most, lease_seconds);
    write.commit();
    return claims;
  });
}

// A look, which disturbs nobody.
bool SqliteStorage::has_offers() {
  return database_
      .prepare(
          "SELECT 1 FROM trials WHERE told_in IS NULL AND state = 'waiting' AND offered = 1 "
          "LIMIT 1")
      .step();
}

std::vector<Claim> SqliteStorage::take_offers(const WorkerInfo& worker, std::int64_t most,
                                              double lease_seconds) {
  std::vector<std::pair<TrialId, std::int64_t>> taken;
  {
    Statement update = database_.prepare(
        "UPDATE trials SET state = 'running', attempts = attempts + 1, started_at = ?, "
        "worker = ?, process = ?, token = (random() & 9223372036854775807) | 1, lease_until = ? "
        "WHERE id IN (SELECT id FROM trials WHERE told_in IS NULL AND state = 'waiting' AND "
        "offered = 1 ORDER BY id LIMIT ?) RETURNING id, token");
    update.bind(system_seconds(), worker.name, worker.process, machine_seconds() + lease_seconds,
                most);
    while (update.step()) taken.emplace_back(update.integer(0), update.integer(1));
  }
  std::sort(taken.begin(), taken.end());
  std::vector<Claim> claims;
  for (const auto& [id, token] : taken) claims.push_back({*read_one(id), token});
  return claims;
}

Result<std::vector<Completion>> SqliteStorage::exchange(std::span<const Claim> ended,
                                                        const WorkerInfo& worker, std::int64_t most,
                                                        double lease_seconds,
                                                        const std::function<void(Claim)>& start) {
  return attempt([&] {
    std::vector<Completion> completions;
    if (ended.empty() && (most < 1 || !has_offers())) return completions;
    Write write(*this, ended.empty() ? Durability::with_the_next : Durability::soon);
    for (const Claim& claim : ended) completions.push_back(complete_one(claim));
    std::vector<Claim> claims;
    if (most > 0) claims = take_offers(worker, most, lease_seconds);
    write.commit(ended.empty() ? Audience::nobody : Audience::coordinator);
    for (Claim& claim : claims) start(std::move(claim));
    return completions;
  });
}

Result<std::vector<std::int64_t>> SqliteStorage::renew(const WorkerInfo& worker,
                                                       std::span<const std::int64_t> tokens,
                                                       double lease_seconds) {
  return attempt([&] {
    Write write(*this, Durability::with_the_next);
    see(worker);
    std::vector<std::int64_t> valid;
    Statement update = database_.prepare(
        "UPDATE trials SET lease_until = ? "
        "WHERE told_in IS NULL AND state = 'running' AND token = ?");
    for (const std::int64_t token : tokens) {
      update.bind(machine_seconds() + lease_seconds, token).run();
      if (database_.changes() > 0) valid.push_back(token);
    }
    write.commit(Audience::coordinator);
    return valid;
  });
}

Result<std::vector<Completion>> SqliteStorage::complete_all(std::span<const Claim> ended) {
  return attempt([&] {
    Write write(*this, Durability::at_once);
    std::vector<Completion> completions;
    for (const Claim& claim : ended) completions.push_back(complete_one(claim));
    write.commit(Audience::coordinator);
    return completions;
  });
}

Completion SqliteStorage::complete_one(const Claim& claim) {
  const auto& [ended, token, ended_at] = claim;
  Trial trial = ended;
  trial.told_in = 0;
  if (store_end(trial, token, seconds_since(ended_at))) return Completion::recorded;
  const std::optional<Trial> stored = read_one(ended.id);
  if (!stored && token != 0) return Completion::unknown;
  if (!stored) throw Fault{storage_error::no_trial(ended.id)};
  Statement select = database_.prepare("SELECT token FROM trials WHERE id = ?");
  const bool same_teller =
      token == 0 || (select.bind(ended.id).step() && select.integer(0) == token);
  // The same once more: the answer to the first may have got lost.
  if (same_teller && same_result(*stored, ended)) return Completion::recorded;
  if (token == 0) throw Fault{storage_error::already_ended(*stored)};
  std::optional<std::string_view> cause;
  std::optional<std::string_view> message;
  if (ended.failure) {
    cause = to_string(ended.failure->cause);
    message = ended.failure->message;
  }
  database_
      .prepare(
          "INSERT INTO late_results (trial, received_at, worker, value, cause, message, metrics, "
          "details, seconds) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?)")
      .bind(ended.id, system_seconds(), ended.worker, ended.value(), cause, message,
            metrics_text(ended.metrics), details_text(ended), ended.seconds)
      .run();
  return Completion::second;
}

Result<void> SqliteStorage::give_back(std::span<const std::int64_t> tokens) {
  return attempt([&] {
    Write write(*this, Durability::with_the_next);
    Statement update = database_.prepare(
        "UPDATE trials SET state = 'waiting', attempts = attempts - 1 "
        "WHERE told_in IS NULL AND state = 'running' AND token = ?");
    for (const std::int64_t token : tokens) update.bind(token).run();
    write.commit(Audience::everybody);
  });
}

Result<void> SqliteStorage::leave(const WorkerInfo& worker) {
  return attempt([&] {
    Write write(*this, Durability::with_the_next);
    database_.prepare("DELETE FROM workers WHERE process = ? AND name = ?")
        .bind(worker.process, worker.name)
        .run();
    write.commit(Audience::coordinator);
  });
}

Result<std::int64_t> SqliteStorage::return_lost(bool blame) {
  return attempt([&]() -> std::int64_t {
    if (access_ == Access::coordinate)
      require_own_file();  // now and then, whether it writes or not
    std::map<std::string, bool> known;
    const auto is_gone = [&](std::string_view name) {
      const auto [entry, fresh] = known.try_emplace(std::string(name), false);
      if (fresh) entry->second = process_is_gone(entry->first);
      return entry->second;
    };
    const auto find_lost = [&] {
      std::vector<std::pair<TrialId, int>> found;  // with the number of losses
      Statement select = database_.prepare(
          "SELECT id, losses, lease_until, process FROM trials "
          "WHERE told_in IS NULL AND state = 'running'");
      while (select.step()) {
        const std::string process(select.text(3));
        if (!lease_is_over(select.real(2), process) && !is_gone(process)) continue;
        found.emplace_back(select.integer(0),
                           static_cast<int>(select.integer(1)) + (blame ? 1 : 0));
      }
      return found;
    };
    const auto find_silent = [&] {  // workers that ended without a word
      std::vector<std::string> found;
      Statement select = database_.prepare("SELECT process, seen_at FROM workers");
      while (select.step()) {
        const bool forgotten = select.real(1) < system_seconds() - 10 * kLeaseSeconds;
        if (forgotten || is_gone(select.text(0))) found.emplace_back(select.text(0));
      }
      return found;
    };
    if (find_lost().empty() && find_silent().empty()) return 0;
    require_space();
    Write write(*this, Durability::with_the_next);
    const auto lost = find_lost();  // again, now that nobody else can write
    for (const auto& [id, losses] : lost) {
      database_.prepare("UPDATE trials SET state = 'waiting', losses = ? WHERE id = ?")
          .bind(losses, id)
          .run();
      if (!blame || losses < kMostLosses) continue;
      Trial trial = *read_one(id);
      trial.state = TrialState::failed;
      trial.failure = storage_error::lost_too_often(losses);
      store_end(trial, 0);
    }
    for (const std::string& process : find_silent()) {
      database_.prepare("DELETE FROM workers WHERE process = ?").bind(process).run();
    }
    write.commit(Audience::everybody);
    return std::ssize(lost);
  });
}

Result<std::int64_t> SqliteStorage::request(std::int64_t count, const std::string& who) {
  return attempt([&] {
    require_space();
    Write write(*this, Durability::at_once);
    Statement insert = database_.prepare(
        "INSERT INTO requests (count, who, made_at) VALUES (?, ?, ?) RETURNING id");
    insert.bind(count, who, system_seconds());
    insert.step();
    const std::int64_t id = insert.integer(0);
    insert.run();
    write.commit(Audience::coordinator);
    return id;
  });
}

Result<std::int64_t> SqliteStorage::bring(const Delivery& delivery, const std::string& who) {
  return attempt([&] {
    require_space();
    const std::string results = delivery_text(*space_, delivery);
    Write write(*this, Durability::at_once);
    Statement insert = database_.prepare(
        "INSERT INTO requests (count, who, made_at, results) VALUES (0, ?, ?, ?) RETURNING id");
    insert.bind(who, system_seconds(), results);
    insert.step();
    const std::int64_t id = insert.integer(0);
    insert.run();
    write.commit(Audience::coordinator);
    return id;
  });
}

Result<std::optional<std::vector<Trial>>> SqliteStorage::load_answer(std::int64_t request) {
  return attempt([&]() -> std::optional<std::vector<Trial>> {
    Statement select = database_.prepare("SELECT state, message FROM requests WHERE id = ?");
    if (!select.bind(request).step()) throw Fault{storage_error::no_request(request)};
    const std::string state(select.text(0));
    if (state == "refused") throw Fault{{ErrorKind::conflict, std::string(select.text(1))}};
    if (state != "answered") return std::nullopt;
    return read_request(request);
  });
}

void SqliteStorage::answer_with_what_there_is(std::int64_t request) {
  database_
      .prepare(
          "UPDATE requests SET state = 'answered', count = 0 WHERE id = ?1 AND state = 'open' AND "
          "EXISTS (SELECT 1 FROM trials WHERE request = ?1)")
      .bind(request)
      .run();
}

Result<void> SqliteStorage::withdraw_request(std::int64_t id) {
  return attempt([&] {
    Write write(*this, Durability::with_the_next);
    answer_with_what_there_is(id);
    database_.prepare("DELETE FROM requests WHERE id = ? AND state = 'open'").bind(id).run();
    write.commit(Audience::coordinator);
  });
}

Result<std::vector<AskRequest>> SqliteStorage::load_requests() {
  return attempt([&] {
    std::vector<AskRequest> requests;
    Statement select = database_.prepare(
        "SELECT id, count, who, results FROM requests WHERE state = 'open' ORDER BY id");
    while (select.step()) {
      AskRequest& request = requests.emplace_back();
      request = {select.integer(0), select.integer(1), std::string(select.text(2)), {}};
      if (select.text(3).empty()) continue;
      require_space();
      Result<Delivery> delivery = delivery_from(*space_, select.text(3));
      if (!delivery) throw Fault{delivery.error()};
      request.delivery = std::move(*delivery);
    }
    return requests;
  });
}

Result<void> SqliteStorage::refuse_request(std::int64_t id, const std::string& why) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, Durability::with_the_next);
    answer_with_what_there_is(id);
    database_
        .prepare(
            "UPDATE requests SET state = 'refused', message = ? WHERE id = ? AND "
            "state = 'open'")
        .bind(why, id)
        .run();
    write.commit(Audience::workers);
  });
}

}  // namespace vbo::sqlite

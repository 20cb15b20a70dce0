// SPDX-License-Identifier: MIT
// Reading, and what the coordinator writes; queue.cpp has what workers and people write.
#include "storage/sqlite/storage.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/json.hpp"
#include "storage/errors.hpp"
#include "storage/process.hpp"
#include "storage/row.hpp"
#include "storage/sqlite/write.hpp"
#include "vbo/version.hpp"

namespace vbo::sqlite {
namespace {

constexpr std::string_view kColumns =
    "id, state, params, value, cause, message, seconds, attempts, rationale, asked_in, told_in, "
    "metrics, asked_at, started_at, finished_at, worker, ask_check, end_check";
constexpr int kOutputColumn = 18;

template <class T>
T take(Result<T> result) {
  if (!result) throw Fault{result.error()};
  return std::move(*result);
}

// What is stored but cannot be understood.
template <class T>
T take_stored(Result<T> result, const std::string& where) {
  if (!result) throw Fault{{ErrorKind::damaged, where + " is damaged: " + result.error().message}};
  return std::move(*result);
}

}  // namespace

FileStamp FileStamp::of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Reader open_for_reading(const std::string& path) {
  const std::string log = path + "-wal";
  const FileStamp stamp = FileStamp::of(path);
  if (access(log.c_str(), F_OK) != 0) {
    return {Database(path, Database::Mode::immutable), stamp};
  }
  struct stat status {};
  const bool ours = stat(path.c_str(), &status) == 0 && status.st_uid == geteuid();
  try {
    Database database(path, ours ? Database::Mode::read : Database::Mode::stranger);
    database.pragma("user_version");  // the first read is what fails
    return {std::move(database), std::nullopt};
  } catch (const Fault& fault) {
    // On a read-only file system SQLite cannot make the small index file that readers share with
    // the writer. Then nobody writes and the file can be read as it is, unless a writer left
    // something in the log that would have to be read too.
    const int code = fault.code & 0xff;
    std::error_code absent;
    const auto log_size = std::filesystem::file_size(log, absent);
    if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || (!absent && log_size > 0)) throw;
  }
  return {Database(path, Database::Mode::immutable), stamp};
}

template <class Work>
auto SqliteStorage::reading(Work work) {
  return attempt([&]() -> std::invoke_result_t<Work> {
    while (still_) {
      const auto changed = [&] {
        return FileStamp::of(path_) != *still_ || access((path_ + "-wal").c_str(), F_OK) == 0;
      };
      try {
        auto result = work();
        if (!changed()) return result;
      } catch (const Fault&) {
        if (!changed()) throw;
      }
      Reader reader = open_for_reading(path_);
      database_ = std::move(reader.database);
      still_ = reader.still;
    }
    return work();
  });
}

template <class... Values>
std::vector<Trial> SqliteStorage::select_trials(bool with_output, std::string_view condition,
                                                const Values&... values) {
  std::vector<Trial> trials;
  std::string sql = "SELECT ";
  sql.append(kColumns);
  if (with_output) sql += ", (SELECT stderr FROM outputs WHERE trial = trials.id)";
  sql.append(" FROM trials ").append(condition);
  Statement select = database_.prepare(sql);
  select.bind(values...);
  while (select.step()) {
    trials.push_back(read_trial(select));
    if (with_output) trials.back().stderr_tail = select.text(kOutputColumn);
  }
  return trials;
}

Result<std::optional<StudyRecord>> SqliteStorage::load_study() {
  return reading([&] { return read_study(); });
}

Result<void> SqliteStorage::create_study(const StudyRecord& record) {
  return attempt([&] {
    require_coordinator();
    const std::string space = take(dump_exact(json_of(record.space)));
    const std::string optimizer = take(dump_exact(json_of(record.optimizer)));
    Write write(*this, true);
    if (read_study()) throw Fault{storage_error::study_exists()};
    database_
        .prepare(
            "INSERT INTO study (id, name, goal, budget, space, optimizer, evaluate, "
            "created_by) VALUES (1, ?, ?, ?, ?, ?, ?, ?)")
        .bind(record.name, to_string(record.goal), record.budget, space, optimizer,
              record.evaluate_json, "vbo " VBO_VERSION)
        .run();
    write.commit();
    space_ = record.space;
  });
}

Result<void> SqliteStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, true);
    database_.prepare("UPDATE study SET budget = ?, evaluate = ?")
        .bind(budget, evaluate_json)
        .run();
    if (database_.changes() == 0) throw Fault{storage_error::no_study()};
    write.commit();
  });
}

Result<void> SqliteStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report,
                                       std::int64_t request) {
  return attempt([&] {
    require_coordinator();
    require_space();
    Write write(*this, true);
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
    if (request != 0) {
      database_.prepare("UPDATE requests SET state = 'answered' WHERE id = ? AND state = 'open'")
          .bind(request)
          .run();
      if (database_.changes() == 0) throw Fault{storage_error::no_request(request)};
    }
    if (report && !trials.empty()) {
      database_.prepare("INSERT INTO reports (event, round, report) VALUES (?, ?, ?)")
          .bind(trials.front().asked_in, report->round, dump(json_of(*report)))
          .run();
    }
    write.commit();
  });
}

bool SqliteStorage::store_end(const Trial& ended, std::int64_t token) {
  std::optional<std::string_view> cause;
  std::optional<std::string_view> message;
  if (ended.failure) {
    cause = to_string(ended.failure->cause);
    message = ended.failure->message;
  }
  const std::string metrics = metrics_text(ended.metrics);
  const std::optional<EventId> told =
      ended.told_in == 0 ? std::nullopt : std::optional(ended.told_in);
  database_
      .prepare(
          "UPDATE trials SET state = ?, value = ?, cause = ?, message = ?, metrics = nullif(?, "
          "''), "
          "seconds = ?, attempts = ?, told_in = ?, finished_at = ?, end_check = ?, "
          "finished_seq = (SELECT finished + 1 FROM study), "
          "worker = CASE ? WHEN '' THEN worker ELSE ? END, "
          "token = CASE ? WHEN 0 THEN token ELSE ? END "
          "WHERE id = ? AND told_in IS NULL AND state IN ('waiting', 'running')")
      .bind(to_string(ended.state), ended.value, cause, message, metrics, ended.seconds,
            ended.attempts, told, system_seconds(), end_check(ended), ended.worker, ended.worker,
            token, token, ended.id)
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
  const auto completed = std::count_if(trials.begin(), trials.end(), [](const Trial& trial) {
    return trial.state == TrialState::completed;
  });
  database_
      .prepare(
          "UPDATE study SET told_completed = told_completed + ?, told_failed = told_failed + ?")
      .bind(std::int64_t{completed}, std::int64_t{std::ssize(trials) - completed})
      .run();
}

Result<void> SqliteStorage::finish_trials(std::span<const Trial> trials) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, true);
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
    Write write(*this, true);
    Statement update = database_.prepare(
        "UPDATE trials SET told_in = ?, end_check = ? "
        "WHERE id = ? AND told_in IS NULL AND finished_seq IS NOT NULL");
    for (const Trial& trial : trials) {
      update.bind(trial.told_in, end_check(trial), trial.id).run();
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
    Write write(*this, false);
    database_.execute(
        "UPDATE trials SET offered = 0 WHERE told_in IS NULL AND state IN ('waiting', 'running') "
        "AND offered = 1");
    Statement update = database_.prepare(
        "UPDATE trials SET offered = 1 "
        "WHERE id = ? AND told_in IS NULL AND state IN ('waiting', 'running')");
    for (const TrialId id : ids) update.bind(id).run();
    write.commit();
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
    Write write(*this, false);
    database_.prepare("UPDATE study SET ended = ?").bind(ended ? 1 : 0).run();
    write.commit();
  });
}

Result<void> SqliteStorage::settle() {
  return attempt([&] {
    if (access_ == Access::read) return;
    {
      Transaction transaction(database_, true);
      database_.execute("UPDATE file_state SET promised = 0, kept = 0 WHERE promised <> 0");
      transaction.commit();
    }
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
      wrote_(is_promised(database_)) {}

SqliteStorage::~SqliteStorage() {
  // Whoever stops writing leaves a file that is complete by itself. When others are at it, it
  // cannot be, and the last of them sees to it.
  // Where that fails the log has to stay: without it the file would be refused.
  if (wrote_ && !settle()) database_.keep_log();
}

Result<void> SqliteStorage::save_snapshot(const Snapshot& snapshot) {
  return attempt([&] {
    require_coordinator();
    Write write(*this, false);
    database_
        .prepare(
            "INSERT OR REPLACE INTO snapshot (id, after_event, bytes, checksum) "
            "VALUES (1, ?, CAST(? AS BLOB), ?)")
        .bind(snapshot.after, snapshot.bytes, bytes_check(snapshot.bytes))
        .run();
    write.commit();
  });
}

Result<std::optional<Snapshot>> SqliteStorage::load_snapshot() {
  return reading([&]() -> std::optional<Snapshot> {
    Statement select = database_.prepare("SELECT after_event, bytes, checksum FROM snapshot");
    if (!select.step()) return std::nullopt;
    // A damaged snapshot is as good as none: replaying everything gives the same.
    if (!select.is_null(2) && select.integer(2) != bytes_check(select.text(1))) return std::nullopt;
    return Snapshot{select.integer(0), std::string(select.text(1))};
  });
}

Result<std::optional<Trial>> SqliteStorage::load_trial(TrialId id) {
  return reading([&]() -> std::optional<Trial> { return read_one(id); });
}

Result<std::vector<Trial>> SqliteStorage::load_trials(TrialId first, std::int64_t limit) {
  return reading(
      [&] { return select_trials(true, "WHERE id >= ? ORDER BY id LIMIT ?", first, limit); });
}

Result<std::vector<Trial>> SqliteStorage::load_history() {
  return reading([&] { return select_trials(false, "ORDER BY id"); });
}

Result<std::optional<Trial>> SqliteStorage::best_trial(Goal goal) {
  return reading([&]() -> std::optional<Trial> {
    // Two lookups in the index by value: the extreme, then its first trial.
    Statement extreme = database_.prepare(
        goal == Goal::minimize ? "SELECT min(value) FROM trials WHERE state = 'completed'"
                               : "SELECT max(value) FROM trials WHERE state = 'completed'");
    if (!extreme.step() || extreme.is_null(0)) return std::nullopt;
    std::vector<Trial> found = select_trials(
        true, "WHERE state = 'completed' AND value = ? ORDER BY id LIMIT 1", extreme.real(0));
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  });
}

Result<TrialCounts> SqliteStorage::counts() {
  return reading([&] {
    // Those the method has heard of are counted as they are told; the others are few.
    TrialCounts counts;
    Statement told = database_.prepare("SELECT told_completed, told_failed FROM study");
    if (told.step()) {
      counts.completed = told.integer(0);
      counts.failed = told.integer(1);
    }
    Statement select = database_.prepare(
        "SELECT state, count(*) FROM trials WHERE told_in IS NULL GROUP BY state");
    while (select.step()) {
      const std::string_view state = select.text(0);
      const std::int64_t count = select.integer(1);
      if (state == "waiting") counts.waiting = count;
      if (state == "running") counts.running = count;
      if (state == "completed") counts.completed += count;
      if (state == "failed") counts.failed += count;
    }
    return counts;
  });
}

Result<std::vector<RoundReport>> SqliteStorage::load_reports(std::int64_t last) {
  return reading([&] {
    std::vector<RoundReport> reports;
    Statement select =
        database_.prepare("SELECT event, report FROM reports ORDER BY event DESC LIMIT ?");
    select.bind(last);
    while (select.step()) {
      const std::string where = in_file("report " + std::to_string(select.integer(0)));
      reports.push_back(
          {select.integer(0),
           take_stored(ask_report_from(take_stored(parse_json(select.text(1)), where)), where)});
    }
    std::reverse(reports.begin(), reports.end());
    return reports;
  });
}

std::string SqliteStorage::in_file(const std::string& what) const {
  return "\"" + path_ + "\": " + what;
}

std::optional<StudyRecord> SqliteStorage::read_study() {
  Statement select = database_.prepare(
      "SELECT name, goal, budget, space, optimizer, evaluate FROM study WHERE id = 1");
  if (!select.step()) return std::nullopt;
  StudyRecord record;
  record.name = select.text(0);
  record.goal = goal_from(select.text(1)).value_or(Goal::maximize);
  record.budget = select.integer(2);
  const std::string space = in_file("the space");
  record.space = take_stored(space_from(take_stored(parse_json(select.text(3)), space)), space);
  const std::string optimizer = in_file("the optimizer");
  record.optimizer = take_stored(
      optimizer_options_from(take_stored(parse_json(select.text(4)), optimizer)), optimizer);
  record.evaluate_json = select.text(5);
  space_ = record.space;
  return record;
}

void SqliteStorage::require_space() {
  if (!space_ && !read_study()) throw Fault{storage_error::no_study()};
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

std::optional<Trial> SqliteStorage::read_one(TrialId id) {
  std::vector<Trial> found = select_trials(true, "WHERE id = ?", id);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Trial> SqliteStorage::read_request(std::int64_t request) {
  return select_trials(true, "WHERE request = ? ORDER BY id", request);
}

Result<std::vector<Trial>> SqliteStorage::load_running() {
  return reading([&] {
    return select_trials(true, "WHERE told_in IS NULL AND state = 'running' ORDER BY id");
  });
}

Result<double> SqliteStorage::now() { return system_seconds(); }

Result<std::vector<Trial>> SqliteStorage::load_untold() {
  return reading([&] {
    return select_trials(true,
                         "WHERE told_in IS NULL AND state IN ('completed', 'failed') "
                         "ORDER BY finished_seq");
  });
}

Result<QueueState> SqliteStorage::queue_state() {
  return reading([&] {
    QueueState queue;
    Statement open = database_.prepare(
        "SELECT state, offered, count(*) FROM trials WHERE told_in IS NULL GROUP BY 1, 2");
    while (open.step()) {
      const std::string_view state = open.text(0);
      const std::int64_t count = open.integer(2);
      if (state == "running") {
        queue.running += count;
      } else if (state != "waiting") {
        queue.untold += count;
      } else if (open.integer(1) != 0) {
        queue.offered += count;
      }
    }
    Statement rest = database_.prepare(
        "SELECT (SELECT count(*) FROM requests WHERE state = 'open'), "
        "(SELECT coalesce(sum(slots), 0) FROM workers WHERE seen_at > ?), "
        "(SELECT ended FROM study)");
    rest.bind(system_seconds() - kLeaseSeconds);
    if (rest.step()) {
      queue.requests = rest.integer(0);
      queue.slots = rest.integer(1);
      queue.ended = rest.integer(2) != 0;
    }
    return queue;
  });
}

Result<std::vector<WorkerInfo>> SqliteStorage::load_workers() {
  return reading([&] {
    std::vector<WorkerInfo> workers;
    Statement select = database_.prepare(
        "SELECT name, host, process, slots, completed, started_at, seen_at FROM workers "
        "ORDER BY started_at, name");
    while (select.step()) {
      WorkerInfo worker;
      worker.name = select.text(0);
      worker.host = select.text(1);
      worker.process = select.text(2);
      worker.slots = select.integer(3);
      worker.completed = select.integer(4);
      worker.started_at = select.real(5);
      worker.seen_at = select.real(6);
      worker.alive =
          worker.seen_at > system_seconds() - kLeaseSeconds && !process_is_gone(worker.process);
      workers.push_back(std::move(worker));
    }
    return workers;
  });
}

Result<bool> SqliteStorage::wait(std::chrono::milliseconds at_most) {
  return attempt([&] {
    if (!watch_) watch_.emplace(path_);
    const auto end = std::chrono::steady_clock::now() + at_most;
    for (;;) {
      // Counts the commits of others; cheap, and sees them whatever the watch misses.
      const std::int64_t version = database_.pragma("data_version");
      const bool changed = version != seen_version_;
      seen_version_ = version;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (changed || left.count() <= 0) return changed;
      watch_->wait(std::min(left, std::chrono::milliseconds(50)));
    }
  });
}

Result<std::unique_ptr<Storage>> SqliteStorage::connect(Access access) {
  return open_storage(path_, access, wait_seconds_);
}

Trial SqliteStorage::read_trial(const Statement& row) {
  require_space();
  Trial trial;
  trial.id = row.integer(0);
  const auto where = [&] { return in_file("trial " + std::to_string(trial.id)); };
  const auto state = trial_state_from(row.text(1));
  if (!state) throw Fault{{ErrorKind::damaged, where() + " has an unknown state"}};
  trial.state = *state;
  trial.point = take_stored(stored_point(*space_, row.text(2)), where());
  if (!row.is_null(3)) trial.value = row.real(3);
  std::optional<FailureCause> cause;
  if (!row.is_null(4)) {
    // A cause this build does not know comes from a newer one; the message still explains it.
    cause = failure_cause_from(row.text(4));
    trial.failure = Failure{cause.value_or(FailureCause::reported), std::string(row.text(5))};
  }
  trial.seconds = row.real(6);
  trial.attempts = static_cast<int>(row.integer(7));
  trial.rationale = take_stored(stored_rationale(row.text(8)), where());
  trial.asked_in = row.integer(9);
  trial.told_in = row.integer(10);
  trial.metrics = take_stored(metrics_from(row.text(11)), where());
  trial.asked_at = row.real(12);
  trial.started_at = row.real(13);
  trial.finished_at = row.real(14);
  trial.worker = row.text(15);
  const bool asked_right =
      row.is_null(16) ||
      row.integer(16) == ask_check(trial.id, row.text(2), row.text(8), trial.asked_in);
  const bool ended_right =
      row.is_null(17) || (trial.failure && !cause) || row.integer(17) == end_check(trial);
  if (!asked_right || !ended_right) {
    throw Fault{{ErrorKind::damaged, where() + " is damaged: its " +
                                         (asked_right ? "result" : "suggestion") +
                                         " is not the one that was stored (the checksum differs)"}};
  }
  return trial;
}

}  // namespace vbo::sqlite

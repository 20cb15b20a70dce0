// SPDX-License-Identifier: MIT
// What everybody reads.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/delivery.hpp"
#include "core/json.hpp"
#include "storage/errors.hpp"
#include "storage/process.hpp"
#include "storage/row.hpp"
#include "storage/sqlite/open.hpp"
#include "storage/sqlite/storage.hpp"

namespace vbo::sqlite {
namespace {

constexpr std::string_view kColumns =
    "id, state, params, value, cause, message, seconds, attempts, rationale, asked_in, told_in, "
    "metrics, asked_at, started_at, finished_at, worker, ask_check, end_check, actual, details";
constexpr int kOutputColumn = 20;

// What is stored but cannot be understood.
template <class T>
T take_stored(Result<T> result, const std::string& where) {
  if (!result) throw Fault{{ErrorKind::damaged, where + " is damaged: " + result.error().message}};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
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

// Ids are almost dense. A file that says otherwise cannot have more rows than it has room for.
std::size_t SqliteStorage::most_trials() {
  constexpr std::int64_t most_per_page = 64;
  Statement last = database_.prepare("SELECT max(id) FROM trials NOT INDEXED");
  if (!last.step() || last.integer(0) <= 0) return 0;
  return static_cast<std::size_t>(
      std::min(last.integer(0), database_.pragma("page_count") * most_per_page));
}

template <class... Values>
std::vector<Trial> SqliteStorage::select_trials(bool with_output, std::string_view condition,
                                                const Values&... values) {
  std::vector<Trial> trials;
  append_trials(trials, with_output, condition, values...);
  return trials;
}

template <class... Values>
void SqliteStorage::append_trials(std::vector<Trial>& trials, bool with_output,
                                  std::string_view condition, const Values&... values) {
  std::string sql = "SELECT ";
  sql.append(kColumns);
  if (with_output) sql += ", (SELECT stderr FROM outputs WHERE trial = trials.id)";
  sql.append(" FROM ").append(table()).append(" ").append(condition);
  Statement select = database_.prepare(sql);
  select.bind(values...);
  while (select.step()) {
    trials.push_back(read_trial(select));
    if (with_output) trials.back().stderr_tail = select.text(kOutputColumn);
  }
}

Result<std::optional<StudyRecord>> SqliteStorage::load_study() {
  return reading([&] { return read_study(); });
}

Result<std::optional<Snapshot>> SqliteStorage::load_snapshot() {
  return reading([&]() -> std::optional<Snapshot> {
    Statement select = database_.prepare("SELECT after_event, bytes, checksum FROM snapshot");
    if (!select.step()) return std::nullopt;
    // A damaged snapshot, and one without a checksum, which files of before have, is as good as
    // none: replaying everything gives the same.
    if (select.is_null(2) || select.integer(2) != bytes_check(select.text(1))) return std::nullopt;
    return Snapshot{select.integer(0), std::string(select.text(1))};
  });
}

Result<std::optional<Trial>> SqliteStorage::load_trial(TrialId id) {
  return reading([&]() -> std::optional<Trial> { return read_one(id); });
}

Result<std::vector<Trial>> SqliteStorage::load_trials(TrialId first, std::int64_t limit) {
  return reading([&] {
    std::vector<Trial> trials;
    if (limit > 1) trials.reserve(std::min(static_cast<std::size_t>(limit), most_trials()));
    append_trials(trials, true, "WHERE id >= ? ORDER BY id LIMIT ?", first, limit);
    return trials;
  });
}

Result<std::vector<Trial>> SqliteStorage::load_history() {
  return reading([&] {
    std::vector<Trial> trials;
    trials.reserve(most_trials());
    append_trials(trials, false, "ORDER BY id");
    // Whoever goes on with a study that has lost rows would take it for shorter than it was.
    if (access_ == Access::coordinate) require_all_told(trials);
    return trials;
  });
}

Result<std::optional<Trial>> SqliteStorage::best_trial(Goal goal) {
  return reading([&]() -> std::optional<Trial> {
    // Two lookups in the index by value: the extreme, then its first trial.
    const std::string from = " FROM " + std::string(table()) + " WHERE state = 'completed'";
    Statement extreme = database_.prepare(
        (goal == Goal::minimize ? "SELECT min(value)" : "SELECT max(value)") + from);
    if (!extreme.step() || extreme.is_null(0)) return std::nullopt;
    std::vector<Trial> found = select_trials(
        true, "WHERE state = 'completed' AND value = ? ORDER BY id LIMIT 1", extreme.real(0));
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  });
}

Result<TrialCounts> SqliteStorage::counts() {
  return reading([&] {
    if (access_ == Access::read) return count_rows();
    // Those told to the method are counted as they are told; the others are few.
    TrialCounts counts;
    Statement told =
        database_.prepare("SELECT told_completed, told_failed, told_stopped FROM study");
    if (told.step()) {
      counts.completed = told.integer(0);
      counts.failed = told.integer(1);
      counts.stopped = told.integer(2);
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
      if (state == "stopped") counts.stopped += count;
    }
    return counts;
  });
}

Fault SqliteStorage::rows_missing() const {
  return {{ErrorKind::damaged,
           in_file("damaged (the number of results in \"study\" is not that of the rows)")}};
}

void SqliteStorage::require_all_told(std::span<const Trial> trials) {
  Statement counted =
      database_.prepare("SELECT told_completed + told_failed + told_stopped FROM study");
  if (!counted.step()) return;
  const auto told = std::ranges::count_if(trials, [](const Trial& t) { return t.told_in != 0; });
  if (counted.integer(0) != told) throw rows_missing();
}

TrialCounts SqliteStorage::count_rows() {
  TrialCounts counts;
  Statement select =
      database_.prepare("SELECT state, count(*) FROM trials NOT INDEXED GROUP BY state");
  while (select.step()) {
    const std::string_view state = select.text(0);
    const std::int64_t count = select.integer(1);
    if (state == "waiting") counts.waiting = count;
    if (state == "running") counts.running = count;
    if (state == "completed") counts.completed = count;
    if (state == "failed") counts.failed = count;
    if (state == "stopped") counts.stopped = count;
  }
  return counts;
}

Result<void> SqliteStorage::verify() {
  const Result<bool> right = reading([&] {
    Statement check = database_.prepare("PRAGMA integrity_check(1)");
    if (!check.step() || check.text(0) != "ok") {
      throw Fault{{ErrorKind::damaged, in_file("damaged (" + std::string(check.text(0)) + ")")}};
    }
    Statement told = database_.prepare(
        "SELECT told_completed - (SELECT count(*) FROM trials NOT INDEXED WHERE told_in IS NOT "
        "NULL AND state = 'completed'), told_failed - (SELECT count(*) FROM trials NOT INDEXED "
        "WHERE told_in IS NOT NULL AND state = 'failed'), told_stopped - (SELECT count(*) FROM "
        "trials NOT INDEXED WHERE told_in IS NOT NULL AND state = 'stopped') FROM study");
    if (told.step() && (told.integer(0) != 0 || told.integer(1) != 0 || told.integer(2) != 0)) {
      throw rows_missing();
    }
    return true;
  });
  return right ? Result<void>() : right.error();
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
      "SELECT name, objectives, budget, space, optimizer, evaluate, start, changes FROM study "
      "WHERE id = 1");
  if (!select.step()) return std::nullopt;
  StudyRecord record;
  record.name = select.text(0);
  const std::string objectives = in_file("the objectives");
  record.objectives =
      take_stored(objectives_from(take_stored(parse_json(select.text(1)), objectives)), objectives);
  record.budget = select.integer(2);
  const std::string space = in_file("the space");
  record.space = take_stored(space_from(take_stored(parse_json(select.text(3)), space)), space);
  const std::string optimizer = in_file("the optimizer");
  record.optimizer = take_stored(
      optimizer_options_from(take_stored(parse_json(select.text(4)), optimizer)), optimizer);
  record.evaluate_json = select.text(5);
  record.start = take_stored(start_from(record.space, select.text(6)),
                             in_file("the points to evaluate first"));
  record.changes =
      take_stored(changes_from(select.text(7)), in_file("the changes of its settings"));
  space_ = record.space;
  return record;
}

void SqliteStorage::require_space() {
  if (!space_ && !read_study()) throw Fault{storage_error::no_study()};
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
                         "WHERE told_in IS NULL AND state IN ('completed', 'failed', 'stopped') "
                         "ORDER BY finished_seq");
  });
}

Result<QueueState> SqliteStorage::queue_state() {
  return reading([&] {
    QueueState queue;
    Statement open =
        database_.prepare("SELECT state, offered, count(*) FROM " + std::string(table()) +
                          " WHERE told_in IS NULL GROUP BY 1, 2");
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
        "SELECT w.name, w.host, w.process, w.slots, max(w.completed, coalesce(t.ended, 0)), "
        "w.started_at, w.seen_at FROM workers w LEFT JOIN (SELECT process, worker, count(*) AS "
        "ended FROM trials WHERE finished_seq IS NOT NULL GROUP BY process, worker) t "
        "ON t.process = w.process AND t.worker = w.name ORDER BY w.started_at, w.name");
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
    if (!watch_) {
      watch_ = std::make_unique<Watch>(path_, notifier_, audience_of(access_));
      return true;  // whatever was announced before
    }
    const auto end = std::chrono::steady_clock::now() + at_most;
    for (;;) {
      bool announced = watch_->take();
      if (!watch_->sees_other_processes()) {
        const std::int64_t version = database_.pragma("data_version");  // counts commits of others
        announced = version != std::exchange(seen_version_, version) || announced;
      }
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (announced || left.count() <= 0) return announced;
      watch_->wait(left);
    }
  });
}

void SqliteStorage::announce(Audience audience) {
  if (audience == Audience::nobody) return;
  // In this order: who is woken by the second finds the first, and takes both.
  touch_for(audience, path_);
  notifier_->notify(audience, watch_ ? &watch_->subscription() : nullptr);
}

Result<std::unique_ptr<Storage>> SqliteStorage::connect(Access access) {
  auto opened = open_sqlite(path_, access, wait_seconds_);
  if (!opened) return opened;
  auto& sibling = static_cast<SqliteStorage&>(**opened);
  sibling.notifier_ = notifier_;
  sibling.writing_ = writing_;
  sibling.syncer_ = syncer_;
  return opened;
}

Trial SqliteStorage::read_trial(const Statement& row) {
  require_space();
  Trial trial;
  trial.id = row.integer(0);
  const auto where = [&] { return in_file("trial " + std::to_string(trial.id)); };
  const auto state = trial_state_from(row.text(1));
  if (!state) throw Fault{{ErrorKind::damaged, where() + " has an unknown state"}};
  trial.state = *state;
  const bool added = row.integer(9) == row.integer(10);
  Result<Point> point = stored_point(*space_, row.text(2), added);
  // Another process may have widened the space since it was read.
  if (!point && read_study()) point = stored_point(*space_, row.text(2), added);
  trial.point = take_stored(std::move(point), where());
  if (!row.is_null(3)) trial.values = {row.real(3)};
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
  take_stored(set_details(row.text(19), trial), where());
  trial.asked_at = row.real(12);
  trial.started_at = row.real(13);
  trial.finished_at = row.real(14);
  trial.worker = row.text(15);
  take_stored(set_actual(*space_, row.text(18), trial), where());
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

Result<std::vector<Revision>> SqliteStorage::load_revisions(bool unapplied_only) {
  return reading([&] {
    require_space();
    std::vector<Revision> revisions;
    Statement select = database_.prepare(
        unapplied_only ? "SELECT id, kind, reason, before, made_at, event, checksum FROM revisions "
                         "WHERE event IS NULL ORDER BY id"
                       : "SELECT id, kind, reason, before, made_at, event, checksum FROM revisions "
                         "ORDER BY id");
    while (select.step()) {
      Revision& revision = revisions.emplace_back();
      revision.id = select.integer(0);
      const std::string where = in_file("revision " + std::to_string(revision.id));
      const auto kind = revision_kind_from(select.text(1));
      if (!kind || select.integer(6) != bytes_check(select.text(3))) {
        throw Fault{{ErrorKind::damaged, where + " is damaged (the checksum differs)"}};
      }
      revision.kind = *kind;
      revision.reason = select.text(2);
      revision.before = take_stored(trial_from(*space_, select.text(3)), where);
      revision.made_at = select.real(4);
      revision.event = select.integer(5);
    }
    return revisions;
  });
}

}  // namespace vbo::sqlite

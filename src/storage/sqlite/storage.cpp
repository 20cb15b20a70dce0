// SPDX-License-Identifier: MIT
#include "storage/sqlite/storage.hpp"

#include <algorithm>
#include <filesystem>

#include "core/json.hpp"
#include "core/scan.hpp"
#include "storage/errors.hpp"
#include "vbo/version.hpp"

namespace vbo::sqlite {
namespace {

constexpr std::string_view kColumns =
    "id, state, params, value, cause, message, seconds, attempts, rationale, asked_in, told_in";

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

ReaderCleanup::~ReaderCleanup() {
  std::error_code absent;
  if (path_.empty() || std::filesystem::file_size(path_ + "-wal", absent) != 0 || absent) return;
  // The last connection that may write removes both files, under SQLite's own locks. When it is not
  // the last, or may not write, nothing happens.
  (void)attempt([&] { Database(path_, Database::Mode::write).pragma("user_version"); });
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
    if (with_output) trials.back().stderr_tail = select.text(11);
  }
  return trials;
}

Result<std::optional<StudyRecord>> SqliteStorage::load_study() {
  return attempt([&] { return read_study(); });
}

Result<void> SqliteStorage::create_study(const StudyRecord& record) {
  return attempt([&] {
    const std::string space = take(dump_exact(json_of(record.space)));
    const std::string optimizer = take(dump_exact(json_of(record.optimizer)));
    Transaction transaction(database_, true);
    if (read_study()) throw Fault{storage_error::study_exists()};
    database_
        .prepare(
            "INSERT INTO study (id, name, goal, budget, space, optimizer, evaluate, "
            "created_by) VALUES (1, ?, ?, ?, ?, ?, ?, ?)")
        .bind(record.name, to_string(record.goal), record.budget, space, optimizer,
              record.evaluate_json, "vbo " VBO_VERSION)
        .run();
    transaction.commit();
    space_ = record.space;
  });
}

Result<void> SqliteStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  return attempt([&] {
    Transaction transaction(database_, true);
    database_.prepare("UPDATE study SET budget = ?, evaluate = ?")
        .bind(budget, evaluate_json)
        .run();
    if (database_.changes() == 0) throw Fault{storage_error::no_study()};
    transaction.commit();
  });
}

Result<void> SqliteStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report) {
  return attempt([&] {
    require_space();
    Transaction transaction(database_, true);
    Statement insert = database_.prepare(
        "INSERT INTO trials (id, state, params, rationale, asked_in) VALUES (?, 'waiting', ?, ?, "
        "?) ON CONFLICT DO NOTHING");
    for (const Trial& trial : trials) {
      insert
          .bind(trial.id, dump(json_of(*space_, trial.point)), dump(json_of(trial.rationale)),
                trial.asked_in)
          .run();
      if (database_.changes() == 0) throw Fault{storage_error::id_used(trial.id)};
    }
    if (!trials.empty() && trials.front().told_in != 0) write_outcomes(trials);
    if (report && !trials.empty()) {
      database_.prepare("INSERT INTO reports (event, round, report) VALUES (?, ?, ?)")
          .bind(trials.front().asked_in, report->round, dump(json_of(*report)))
          .run();
    }
    transaction.commit();
  });
}

Result<void> SqliteStorage::set_running(TrialId id, int attempts) {
  return attempt([&] {
    Transaction transaction(database_, false);
    database_
        .prepare(
            "UPDATE trials SET state = 'running', attempts = ? "
            "WHERE id = ? AND told_in IS NULL")
        .bind(attempts, id)
        .run();
    require_changed(id);
    transaction.commit();
  });
}

Result<std::int64_t> SqliteStorage::requeue_running() {
  return attempt([&] {
    Transaction transaction(database_, false);
    database_.execute("UPDATE trials SET state = 'waiting' WHERE state = 'running'");
    const std::int64_t count = database_.changes();
    transaction.commit();
    return count;
  });
}

Result<void> SqliteStorage::finish_trials(std::span<const Trial> trials) {
  return attempt([&] {
    Transaction transaction(database_, true);
    write_outcomes(trials);
    transaction.commit();
  });
}

void SqliteStorage::write_outcomes(std::span<const Trial> trials) {
  Statement update = database_.prepare(
      "UPDATE trials SET state = ?, value = ?, cause = ?, message = ?, seconds = ?, "
      "attempts = ?, told_in = ? WHERE id = ? AND told_in IS NULL");
  Statement output = database_.prepare("INSERT INTO outputs (trial, stderr) VALUES (?, ?)");
  for (const Trial& trial : trials) {
    std::optional<std::string_view> cause;
    std::optional<std::string_view> message;
    if (trial.failure) {
      cause = to_string(trial.failure->cause);
      message = trial.failure->message;
    }
    update
        .bind(to_string(trial.state), trial.value, cause, message, trial.seconds, trial.attempts,
              trial.told_in, trial.id)
        .run();
    require_changed(trial.id);
    if (!trial.stderr_tail.empty()) output.bind(trial.id, trial.stderr_tail).run();
  }
}

Result<void> SqliteStorage::save_snapshot(const Snapshot& snapshot) {
  return attempt([&] {
    Transaction transaction(database_, false);
    database_
        .prepare(
            "INSERT OR REPLACE INTO snapshot (id, after_event, bytes) "
            "VALUES (1, ?, CAST(? AS BLOB))")
        .bind(snapshot.after, snapshot.bytes)
        .run();
    transaction.commit();
  });
}

Result<std::optional<Snapshot>> SqliteStorage::load_snapshot() {
  return attempt([&]() -> std::optional<Snapshot> {
    Statement select = database_.prepare("SELECT after_event, bytes FROM snapshot");
    if (!select.step()) return std::nullopt;
    return Snapshot{select.integer(0), std::string(select.text(1))};
  });
}

Result<std::optional<Trial>> SqliteStorage::load_trial(TrialId id) {
  return attempt([&]() -> std::optional<Trial> {
    std::vector<Trial> found = select_trials(true, "WHERE id = ?", id);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  });
}

Result<std::vector<Trial>> SqliteStorage::load_trials(TrialId first, std::int64_t limit) {
  return attempt(
      [&] { return select_trials(true, "WHERE id >= ? ORDER BY id LIMIT ?", first, limit); });
}

Result<std::vector<Trial>> SqliteStorage::load_history() {
  return attempt([&] { return select_trials(false, "ORDER BY id"); });
}

Result<std::optional<Trial>> SqliteStorage::best_trial(Goal goal) {
  return attempt([&]() -> std::optional<Trial> {
    // Two lookups in the index (state, value): the extreme value, then its first trial.
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
  return attempt([&] {
    TrialCounts counts;
    Statement select = database_.prepare("SELECT state, count(*) FROM trials GROUP BY state");
    while (select.step()) {
      const std::string_view state = select.text(0);
      const std::int64_t count = select.integer(1);
      if (state == "waiting") counts.waiting = count;
      if (state == "running") counts.running = count;
      if (state == "completed") counts.completed = count;
      if (state == "failed") counts.failed = count;
    }
    return counts;
  });
}

Result<std::vector<RoundReport>> SqliteStorage::load_reports(std::int64_t last) {
  return attempt([&] {
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

void SqliteStorage::require_changed(TrialId id) {
  if (database_.changes() != 0) return;
  Statement select = database_.prepare("SELECT 1 FROM trials WHERE id = ?");
  throw Fault{select.bind(id).step() ? storage_error::already_ended(id)
                                     : storage_error::no_trial(id)};
}

Trial SqliteStorage::read_trial(const Statement& row) {
  require_space();
  Trial trial;
  trial.id = row.integer(0);
  const auto where = [&] { return in_file("trial " + std::to_string(trial.id)); };
  const auto state = trial_state_from(row.text(1));
  if (!state) throw Fault{{ErrorKind::damaged, where() + " has an unknown state"}};
  trial.state = *state;
  if (std::optional<Point> point = scan_point(*space_, row.text(2))) {
    trial.point = std::move(*point);
  } else {
    trial.point =
        take_stored(point_from(*space_, take_stored(parse_json(row.text(2)), where())), where());
  }
  if (!row.is_null(3)) trial.value = row.real(3);
  if (!row.is_null(4)) {
    // A cause this build does not know comes from a newer one; the message still explains it.
    trial.failure = Failure{failure_cause_from(row.text(4)).value_or(FailureCause::reported),
                            std::string(row.text(5))};
  }
  trial.seconds = row.real(6);
  trial.attempts = static_cast<int>(row.integer(7));
  if (std::optional<Rationale> rationale = scan_rationale(row.text(8))) {
    trial.rationale = std::move(*rationale);
  } else {
    trial.rationale =
        take_stored(rationale_from(take_stored(parse_json(row.text(8)), where())), where());
  }
  trial.asked_in = row.integer(9);
  trial.told_in = row.integer(10);
  return trial;
}

}  // namespace vbo::sqlite

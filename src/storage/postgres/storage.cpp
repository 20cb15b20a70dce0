// SPDX-License-Identifier: MIT
// Reading, and what the coordinator writes; queue.cpp has what workers and people write,
// revisions.cpp what people change afterwards.
#include "storage/postgres/storage.hpp"

#include <algorithm>

#include "core/delivery.hpp"
#include "core/json.hpp"
#include "storage/errors.hpp"
#include "storage/postgres/open.hpp"
#include "storage/postgres/schema.hpp"
#include "storage/process.hpp"
#include "storage/row.hpp"
#include "vbo/version.hpp"

namespace vbo::postgres {
namespace {

// Whole statements, so that each has one address and is prepared once.
#define VBO_COLUMNS                                                                          \
  "SELECT t.id, t.state, t.params, t.value, t.cause, t.message, t.seconds, t.attempts, "     \
  "t.rationale, t.asked_in, t.told_in, t.metrics, t.asked_at, t.started_at, t.finished_at, " \
  "t.worker, t.ask_check, t.end_check, t.actual, t.details"
#define VBO_WITHOUT_OUTPUT VBO_COLUMNS " FROM vbo.trials t WHERE t.study = $1 "
#define VBO_WITH_OUTPUT                                                            \
  VBO_COLUMNS                                                                      \
  ", o.stderr FROM vbo.trials t LEFT JOIN vbo.outputs o ON o.study = t.study AND " \
  "o.trial = t.id WHERE t.study = $1 "
constexpr int kOutputColumn = 20;

template <class T>
T take(Result<T> result) {
  if (!result) throw Fault{result.error()};
  return std::move(*result);
}

template <class T>
T take_stored(Result<T> result, const std::string& where) {
  if (!result) throw Fault{{ErrorKind::damaged, where + " is damaged: " + result.error().message}};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

PostgresStorage::PostgresStorage(std::string url, const Url& parsed, Access access)
    : url_(std::move(url)),
      study_name_(parsed.study),
      access_(access),
      connection_(parsed.server, parsed.where) {
  if (access == Access::coordinate) {
    bring_up_to_date(connection_);
    connection_.query("INSERT INTO vbo.studies (key) VALUES ($1) ON CONFLICT DO NOTHING",
                      {study_name_});
  }
  const bool has_tables = !connection_.query("SELECT to_regclass('vbo.studies')").is_null(0, 0);
  if (has_tables) {
    if (access == Access::queue) bring_up_to_date(connection_);
    if (access == Access::read) require_up_to_date(connection_);
    const Rows row = connection_.query("SELECT id FROM vbo.studies WHERE key = $1", {study_name_});
    if (!row.empty()) study_ = row.integer(0, 0);
  }
  if (study_ == 0) {
    throw Fault{{ErrorKind::not_found,
                 connection_.where() + " holds no study \"" + study_name_ + "\" yet"}};
  }
  for_workers_ = "vbo_w_" + std::to_string(study_);
  for_coordinator_ = "vbo_c_" + std::to_string(study_);
  if (access == Access::coordinate) {
    lead_ = std::make_unique<Lead>(connection_, study_, study_name_);
    connection_.listen(for_coordinator_);
  } else if (access == Access::read) {
    connection_.listen(for_workers_);
    connection_.listen(for_coordinator_);
  }
}

void PostgresStorage::require_write() const {
  if (access_ != Access::read) return;
  throw Fault{{ErrorKind::io, "study \"" + study_name_ + "\" was opened for reading only"}};
}

std::optional<StudyRecord> PostgresStorage::read_study() {
  const Rows row = connection_.query(
      "SELECT name, objectives, budget, space, optimizer, evaluate, start, changes FROM "
      "vbo.studies "
      "WHERE id = $1 AND space IS NOT NULL",
      {study_});
  if (row.empty()) return std::nullopt;
  const std::string where = "study \"" + study_name_ + "\"";
  StudyRecord record;
  record.name = row.text(0, 0);
  record.objectives =
      take_stored(objectives_from(take_stored(parse_json(row.text(0, 1)), where)), where);
  record.budget = row.integer(0, 2);
  record.space = take_stored(space_from(take_stored(parse_json(row.text(0, 3)), where)), where);
  record.optimizer =
      take_stored(optimizer_options_from(take_stored(parse_json(row.text(0, 4)), where)), where);
  record.evaluate_json = row.text(0, 5);
  record.start = take_stored(start_from(record.space, row.text(0, 6)), where);
  record.changes = take_stored(changes_from(row.text(0, 7)), where);
  space_ = record.space;
  return record;
}

void PostgresStorage::require_space() {
  if (!space_ && !read_study()) throw Fault{storage_error::no_study()};
}

Result<std::optional<StudyRecord>> PostgresStorage::load_study() {
  return attempt([&] { return read_study(); });
}

Result<void> PostgresStorage::create_study(const StudyRecord& record) {
  auto created = coordinated([&] {
    if (read_study()) throw Fault{storage_error::study_exists()};
    connection_.query(
        "UPDATE vbo.studies SET name = $2, objectives = $3, budget = $4, space = $5, optimizer = "
        "$6, "
        "evaluate = $7, created_by = $8, start = $9, changes = $10 WHERE id = $1",
        {study_, record.name, take(dump_exact(json_of(record.objectives))), record.budget,
         take(dump_exact(json_of(record.space))), take(dump_exact(json_of(record.optimizer))),
         record.evaluate_json, ("vbo " VBO_VERSION), start_text(record.space, record.start),
         take(changes_text(record.changes))});
  });
  if (created) space_ = record.space;
  return created;
}

Result<void> PostgresStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  return coordinated([&] {
    const Rows changed = connection_.query(
        "UPDATE vbo.studies SET budget = $2, evaluate = $3 WHERE id = $1 AND space IS NOT NULL",
        {study_, budget, evaluate_json});
    if (changed.changed() == 0) throw Fault{storage_error::no_study()};
  });
}

Result<void> PostgresStorage::change_settings(const StudyRecord& record) {
  auto changed = coordinated([&] {
    const Rows rows = connection_.query(
        "UPDATE vbo.studies SET space = $2, optimizer = $3, changes = $4 WHERE id = $1 AND space "
        "IS "
        "NOT NULL",
        {study_, take(dump_exact(json_of(record.space))),
         take(dump_exact(json_of(record.optimizer))), take(changes_text(record.changes))});
    if (rows.changed() == 0) throw Fault{storage_error::no_study()};
  });
  if (changed) space_ = record.space;
  return changed;
}

Result<void> PostgresStorage::add_trials(std::span<const Trial> trials,
                                         const std::optional<AskReport>& report,
                                         std::int64_t request, Durability durability) {
  auto added = coordinated(
      [&] {
        require_space();
        const std::optional<std::int64_t> asked_by =
            request == 0 ? std::nullopt : std::optional(request);
        const bool ended = !trials.empty() && trials.front().told_in != 0;  // results from outside
        std::vector<std::vector<Parameter>> rows;
        for (const Trial& trial : trials) {
          const std::string params = dump(json_of(*space_, trial.point));
          const std::string rationale = dump(json_of(trial.rationale));
          rows.push_back({study_, trial.id, params, rationale, trial.asked_in,
                          request == 0 && !ended, asked_by,
                          ask_check(trial.id, params, rationale, trial.asked_in)});
        }
        const std::vector<Rows> inserted = connection_.query_each(
            "INSERT INTO vbo.trials (study, id, state, params, rationale, asked_in, asked_at, "
            "offered, "
            "request, ask_check) VALUES ($1, $2, 'waiting', $3, $4, $5, vbo.clock(), $6, $7, $8) "
            "ON CONFLICT DO NOTHING",
            rows);
        for (std::size_t i = 0; i < inserted.size(); ++i) {
          if (inserted[i].changed() == 0) throw Fault{storage_error::id_used(trials[i].id)};
        }
        if (ended) {
          for (const Trial& trial : trials) store_end(trial, 0);
          count_told(trials);
        }
        if (request != 0) answer(request, std::ssize(trials));
        if (report && !trials.empty()) {
          connection_.query(
              "INSERT INTO vbo.reports (study, event, round, report) VALUES ($1, $2, $3, $4)",
              {study_, trials.front().asked_in, report->round, dump(json_of(*report))});
        }
      },
      durability);
  if (added) notify(for_workers_);
  return added;
}

// Of the suggestions that were asked for, so many are there now.
void PostgresStorage::answer(std::int64_t request, std::int64_t trials) {
  const Rows answered = connection_.query(
      "UPDATE vbo.requests SET state = CASE WHEN count > $3 THEN 'open' ELSE 'answered' END, "
      "count = greatest(0, count - $3), results = '' "
      "WHERE study = $1 AND id = $2 AND state = 'open'",
      {study_, request, trials});
  if (answered.changed() == 0) throw Fault{storage_error::no_request(request)};
}

bool PostgresStorage::store_end(const Trial& ended, std::int64_t token, double seconds_ago) {
  Parameter cause(std::nullopt);
  Parameter message(std::nullopt);
  if (ended.failure) {
    cause = Parameter(to_string(ended.failure->cause));
    message = Parameter::bytes(ended.failure->message);
  }
  const std::optional<EventId> told =
      ended.told_in == 0 ? std::nullopt : std::optional(ended.told_in);
  if (ended.suggested) require_space();
  const std::string actual = ended.suggested ? actual_text(*space_, ended) : "";
  if (token != 0) require_space();
  const std::string params = token != 0 ? dump(json_of(*space_, ended.point)) : "";
  const Rows done = connection_.query(
      "WITH done AS (UPDATE vbo.trials SET state = $3, value = $4, cause = $5, message = $6, "
      "metrics = nullif($7, ''), seconds = $8, attempts = $9, told_in = $10, "
      "finished_at = vbo.clock() - $17::float8, finished_seq = nextval('vbo.finished'), end_check "
      "= $11, "
      "worker = CASE $12 WHEN '' THEN worker ELSE $12 END, "
      "token = CASE $13::bigint WHEN 0 THEN token ELSE $13 END, actual = nullif($15, ''), "
      "details = nullif($16, '') "
      "WHERE study = $1 AND id = $2 AND told_in IS NULL AND state IN ('waiting', 'running') "
      // A server that crashed can have lost the claim and the suggestion: only the same point
      // takes the result of another claim.
      "AND ($13::bigint = 0 OR token = $13::bigint OR params = $18) "
      "RETURNING id), "
      "output AS (INSERT INTO vbo.outputs (study, trial, stderr) SELECT $1, id, $14 FROM done "
      "WHERE length($14::bytea) > 0 ON CONFLICT (study, trial) DO UPDATE SET "
      "stderr = excluded.stderr) "
      "SELECT id FROM done",
      {study_, ended.id, to_string(ended.state), ended.value(), cause, message,
       metrics_text(ended.metrics), ended.seconds, ended.attempts, told, end_check(ended),
       ended.worker, token, Parameter::bytes(ended.stderr_tail), actual, details_text(ended),
       seconds_ago, params});
  return !done.empty();
}

void PostgresStorage::count_told(std::span<const Trial> trials) {
  const auto count = [&](TrialState state) {
    return std::int64_t{std::ranges::count(trials, state, &Trial::state)};
  };
  connection_.query(
      "UPDATE vbo.studies SET told_completed = told_completed + $2, "
      "told_failed = told_failed + $3, told_stopped = told_stopped + $4 WHERE id = $1",
      {study_, count(TrialState::completed), count(TrialState::failed),
       count(TrialState::stopped)});
}

void PostgresStorage::fail_unchanged(TrialId id, const Error& otherwise) {
  const Rows row =
      connection_.query("SELECT 1 FROM vbo.trials WHERE study = $1 AND id = $2", {study_, id});
  throw Fault{row.empty() ? storage_error::no_trial(id) : otherwise};
}

Result<void> PostgresStorage::finish_trials(std::span<const Trial> trials, Durability) {
  auto finished = coordinated([&] {
    for (const Trial& trial : trials) {
      if (!store_end(trial, 0)) fail_unchanged(trial.id, storage_error::already_ended(trial.id));
    }
    count_told(trials);
  });
  if (finished) notify(for_coordinator_);  // those who only look listen there
  return finished;
}

Result<void> PostgresStorage::tell_trials(std::span<const Trial> trials) {
  return coordinated(
      [&] {
        std::vector<std::vector<Parameter>> rows;
        for (const Trial& trial : trials) {
          Trial untold = trial;  // as it has to stand there
          untold.told_in = 0;
          rows.push_back({study_, trial.id, trial.told_in, end_check(trial), end_check(untold)});
        }
        const std::vector<Rows> told = connection_.query_each(
            "UPDATE vbo.trials SET told_in = $3, end_check = $4 WHERE study = $1 AND id = $2 AND "
            "told_in IS NULL AND finished_seq IS NOT NULL AND end_check = $5",
            rows);
        for (std::size_t i = 0; i < told.size(); ++i) {
          if (told[i].changed() == 0) {
            fail_unchanged(trials[i].id, storage_error::not_ended(trials[i].id));
          }
        }
        count_told(trials);
      },
      Durability::with_the_next);
}

Result<void> PostgresStorage::offer(std::span<const TrialId> ids) {
  auto offered = coordinated([&] {
    std::string list = "{";
    for (const TrialId id : ids) list += (list.size() > 1 ? "," : "") + std::to_string(id);
    // Locked in the order of ids, as everybody does (queue.cpp).
    connection_.query(
        "UPDATE vbo.trials SET offered = id = ANY ($2::bigint[]) WHERE study = $1 AND "
        "told_in IS NULL AND state IN ('waiting', 'running') AND id = ANY (ARRAY (SELECT id FROM "
        "vbo.trials WHERE study = $1 AND told_in IS NULL AND state IN ('waiting', 'running') AND "
        "offered <> (id = ANY ($2::bigint[])) ORDER BY id FOR UPDATE))",
        {study_, list + "}"});
  });
  if (offered) notify(for_workers_);
  return offered;
}

Result<void> PostgresStorage::save_snapshot(const Snapshot& snapshot) {
  return coordinated([&] {
    connection_.query(
        "INSERT INTO vbo.snapshots (study, after_event, bytes, checksum) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (study) DO UPDATE SET after_event = excluded.after_event, "
        "bytes = excluded.bytes, checksum = excluded.checksum",
        {study_, snapshot.after, Parameter::bytes(snapshot.bytes), bytes_check(snapshot.bytes)});
  });
}

Result<void> PostgresStorage::set_ended(bool ended) {
  auto set = coordinated([&] {
    connection_.query("UPDATE vbo.studies SET ended = $2 WHERE id = $1 AND ended <> $2",
                      {study_, ended});
  });
  if (set) notify(for_workers_);
  return set;
}

Result<std::optional<Snapshot>> PostgresStorage::load_snapshot() {
  return attempt([&]() -> std::optional<Snapshot> {
    const Rows row = connection_.query(
        "SELECT after_event, bytes, checksum FROM vbo.snapshots WHERE study = $1", {study_});
    if (row.empty()) return std::nullopt;
    Snapshot snapshot{row.integer(0, 0), row.bytes(0, 1)};
    // A damaged snapshot is as good as none: replaying everything gives the same.
    if (row.integer(0, 2) != bytes_check(snapshot.bytes)) return std::nullopt;
    return snapshot;
  });
}

std::vector<Trial> PostgresStorage::read_trials(const Rows& rows, bool with_output) {
  require_space();
  std::vector<Trial> trials(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    Trial& trial = trials[static_cast<std::size_t>(i)];
    trial.id = rows.integer(i, 0);
    const auto where = [&] {
      return "study \"" + study_name_ + "\": trial " + std::to_string(trial.id);
    };
    trial.state = trial_state_from(rows.text(i, 1)).value_or(TrialState::waiting);
    const bool added = !rows.is_null(i, 10) && rows.integer(i, 9) == rows.integer(i, 10);
    Result<Point> point = stored_point(*space_, rows.text(i, 2), added);
    // Another process may have widened the space since it was read.
    if (!point && read_study()) point = stored_point(*space_, rows.text(i, 2), added);
    trial.point = take_stored(std::move(point), where());
    if (!rows.is_null(i, 3)) trial.values = {rows.real(i, 3)};
    std::optional<FailureCause> cause;
    if (!rows.is_null(i, 4)) {
      cause = failure_cause_from(rows.text(i, 4));
      trial.failure = Failure{cause.value_or(FailureCause::reported), rows.bytes(i, 5)};
    }
    trial.seconds = rows.real(i, 6);
    trial.attempts = static_cast<int>(rows.integer(i, 7));
    trial.rationale = take_stored(stored_rationale(rows.text(i, 8)), where());
    trial.asked_in = rows.integer(i, 9);
    trial.told_in = rows.integer(i, 10);
    trial.metrics = take_stored(metrics_from(rows.text(i, 11)), where());
    take_stored(set_details(rows.text(i, 19), trial), where());
    trial.asked_at = rows.real(i, 12);
    trial.started_at = rows.real(i, 13);
    trial.finished_at = rows.real(i, 14);
    trial.worker = rows.text(i, 15);
    take_stored(set_actual(*space_, rows.text(i, 18), trial), where());
    const bool asked_right =
        rows.is_null(i, 16) || rows.integer(i, 16) == ask_check(trial.id, rows.text(i, 2),
                                                                rows.text(i, 8), trial.asked_in);
    const bool ended_right =
        rows.is_null(i, 17) || (trial.failure && !cause) || rows.integer(i, 17) == end_check(trial);
    if (!asked_right || !ended_right) {
      throw Fault{{ErrorKind::damaged,
                   where() + " is damaged: its " + (asked_right ? "result" : "suggestion") +
                       " is not the one that was stored (the checksum differs)"}};
    }
    if (with_output && !rows.is_null(i, kOutputColumn)) {
      trial.stderr_tail = rows.bytes(i, kOutputColumn);
    }
  }
  return trials;
}

std::optional<Trial> PostgresStorage::read_one(TrialId id) {
  std::vector<Trial> found =
      read_trials(connection_.query(VBO_WITH_OUTPUT "AND t.id = $2", {study_, id}), true);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::optional<Trial>> PostgresStorage::load_trial(TrialId id) {
  return attempt([&] { return read_one(id); });
}

Result<std::vector<Trial>> PostgresStorage::load_trials(TrialId first, std::int64_t limit) {
  return attempt([&] {
    return read_trials(
        connection_.query(VBO_WITH_OUTPUT
                          "AND t.id >= $2 ORDER BY t.id LIMIT nullif($3::bigint, -1)",
                          {study_, first, std::max<std::int64_t>(limit, -1)}),
        true);
  });
}

Result<std::vector<Trial>> PostgresStorage::load_history() {
  return attempt([&] {
    return read_trials(connection_.query(VBO_WITHOUT_OUTPUT "ORDER BY t.id", {study_}), false);
  });
}

Result<std::vector<Trial>> PostgresStorage::load_running() {
  return attempt([&] {
    return read_trials(
        connection_.query(VBO_WITHOUT_OUTPUT
                          "AND t.told_in IS NULL AND t.state = 'running' ORDER BY t.id",
                          {study_}),
        false);
  });
}

Result<std::vector<Trial>> PostgresStorage::load_untold() {
  return attempt([&] {
    return read_trials(
        connection_.query(VBO_WITH_OUTPUT
                          "AND t.told_in IS NULL AND t.state IN ('completed', 'failed', 'stopped') "
                          "ORDER BY t.finished_seq",
                          {study_}),
        true);
  });
}

Result<std::optional<std::vector<Trial>>> PostgresStorage::load_answer(std::int64_t request) {
  return attempt([&]() -> std::optional<std::vector<Trial>> {
    const Rows row = connection_.query(
        "SELECT state, message FROM vbo.requests WHERE study = $1 AND id = $2", {study_, request});
    if (row.empty()) throw Fault{storage_error::no_request(request)};
    if (row.text(0, 0) == "refused") {
      throw Fault{{ErrorKind::conflict, std::string(row.text(0, 1))}};
    }
    if (row.text(0, 0) != "answered") return std::nullopt;
    return read_trials(
        connection_.query(VBO_WITH_OUTPUT "AND t.request = $2 ORDER BY t.id", {study_, request}),
        true);
  });
}

Result<std::optional<Trial>> PostgresStorage::best_trial(Goal goal) {
  return attempt([&]() -> std::optional<Trial> {
    const Rows extreme = goal == Goal::minimize
                             ? connection_.query(
                                   "SELECT min(value) FROM vbo.trials WHERE study = $1 AND "
                                   "state = 'completed'",
                                   {study_})
                             : connection_.query(
                                   "SELECT max(value) FROM vbo.trials WHERE study = $1 AND "
                                   "state = 'completed'",
                                   {study_});
    if (extreme.is_null(0, 0)) return std::nullopt;
    std::vector<Trial> found = read_trials(
        connection_.query(VBO_WITH_OUTPUT
                          "AND t.state = 'completed' AND t.value = $2 ORDER BY t.id LIMIT 1",
                          {study_, extreme.text(0, 0)}),
        true);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  });
}

Result<TrialCounts> PostgresStorage::counts() {
  return attempt([&] {
    // Those told to the method are counted as they are told; the others are few.
    const Rows row = connection_.query(
        "SELECT s.told_completed + (SELECT count(*) FROM vbo.trials WHERE study = $1 AND "
        "told_in IS NULL AND state = 'completed'), s.told_failed + (SELECT count(*) FROM "
        "vbo.trials WHERE study = $1 AND told_in IS NULL AND state = 'failed'), "
        "(SELECT count(*) FROM vbo.trials WHERE study = $1 AND told_in IS NULL AND "
        "state = 'waiting'), (SELECT count(*) FROM vbo.trials WHERE study = $1 AND "
        "told_in IS NULL AND state = 'running'), s.told_stopped + (SELECT count(*) FROM vbo.trials "
        "WHERE study = $1 AND told_in IS NULL AND state = 'stopped') FROM vbo.studies s WHERE s.id "
        "= $1",
        {study_});
    TrialCounts counts;
    if (row.empty()) return counts;
    counts.completed = row.integer(0, 0);
    counts.failed = row.integer(0, 1);
    counts.waiting = row.integer(0, 2);
    counts.running = row.integer(0, 3);
    counts.stopped = row.integer(0, 4);
    return counts;
  });
}

Result<std::vector<RoundReport>> PostgresStorage::load_reports(std::int64_t last) {
  return attempt([&] {
    const Rows rows = connection_.query(
        "SELECT event, report FROM vbo.reports WHERE study = $1 ORDER BY event DESC "
        "LIMIT nullif($2::bigint, -1)",
        {study_, std::max<std::int64_t>(last, -1)});
    std::vector<RoundReport> reports;
    for (int i = rows.size() - 1; i >= 0; --i) {
      const std::string where =
          "study \"" + study_name_ + "\": report " + std::to_string(rows.integer(i, 0));
      reports.push_back(
          {rows.integer(i, 0),
           take_stored(ask_report_from(take_stored(parse_json(rows.text(i, 1)), where)), where)});
    }
    return reports;
  });
}

Result<std::unique_ptr<Storage>> PostgresStorage::connect(Access access) {
  return open_postgres(url_, access, 0.0);
}

}  // namespace vbo::postgres

namespace vbo {

Result<std::unique_ptr<Storage>> open_postgres(const std::string& url, Access access, double) {
  const Result<postgres::Url> parsed = postgres::parse_url(url);
  if (!parsed) return parsed.error();
  return postgres::attempt([&]() -> std::unique_ptr<Storage> {
    return std::make_unique<postgres::PostgresStorage>(url, *parsed, access);
  });
}

}  // namespace vbo

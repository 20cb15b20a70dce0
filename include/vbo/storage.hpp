// SPDX-License-Identifier: MIT
// Where a study lives, and the queue its workers take from. One storage holds one study. Anybody
// may read; any number of workers claim waiting trials and store results; one coordinator at a time
// asks, and decides in which order results are told to the method.
// Every method that writes has committed when it returns success, durably unless it is said
// otherwise (Durability), and has changed nothing when it returns an error.
// Stability: a minor version of 0.x may change it.
// Threads: a Storage belongs to one thread; connect() makes one more.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/revision.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// What held until an event of the log, in which something else took its place.
struct SettingsChange {
  EventId event = 0;           // of the change; later ones happened under the next settings
  double made_at = 0.0;        // by the storage's clock
  Space space;                 // until then
  OptimizerOptions optimizer;  // likewise
};

// What defines a study. Of it may change: the budget, how evaluations are made, and points to
// evaluate first that come later; and, recorded in `changes`, the method with its options and
// batch, bounds that become wider, and choices that are added.
struct StudyRecord {
  std::string name;
  std::vector<Objective> objectives = {Objective{}};
  std::int64_t budget = 0;  // evaluations
  Space space;
  OptimizerOptions optimizer;  // method, seed, batch, settings; neither threads nor objectives
  std::string evaluate_json;   // the [evaluate] table as given, for display; "" when there is none
  std::vector<PartialPoint> start;      // points to evaluate first, in this order
  std::vector<SettingsChange> changes;  // oldest first; the other fields have what holds now

  EventId changed_in() const { return changes.empty() ? 0 : changes.back().event; }
  // As it was for an event of the log, with the changes before it.
  StudyRecord at(EventId event) const;

  Goal goal() const { return objectives.front().goal; }  // of the one objective, or of the first
  // Of the scores that methods report: one made of several objectives is maximized.
  Goal score_goal() const { return objectives.size() == 1 ? goal() : Goal::maximize; }
  // The optimizer options with the objectives, as methods see them.
  OptimizerOptions method_options() const;
};  // optimizer.budget is that of the study's beginning, or of the last change: replaying is exact

// The optimizer's state after all events up to and including `after`.
struct Snapshot {
  EventId after = 0;
  std::string bytes;
};

// What the method reported in the first ask of a training round; objective in the user's own sign.
struct RoundReport {
  EventId event = 0;  // that ask
  AskReport report;
};

struct TrialCounts {
  std::int64_t waiting = 0, running = 0, completed = 0, failed = 0, stopped = 0;
  std::int64_t ended() const { return completed + failed + stopped; }
};

enum class Access {
  read,        // changes nothing
  queue,       // claims trials, stores results, requests suggestions: any number at a time
  coordinate,  // besides, the order of asks and tells: one at a time
};

// A trial somebody has taken on, until the lease ends or is renewed.
struct Claim {
  Trial trial;             // state running; attempts counts this one
  std::int64_t token = 0;  // proves whose it is; never 0
  // When the evaluation ended, by this process' clock; nothing: as it is stored.
  std::optional<std::chrono::steady_clock::time_point> ended_at = {};
};

// Somebody who evaluates. `process` tells machine and process apart, so that others on the same
// machine see its end at once; see ProcessName.
struct WorkerInfo {
  std::string name, host, process;
  std::int64_t slots = 1;                  // evaluations at the same time
  std::int64_t completed = 0;              // results stored so far
  double started_at = 0.0, seen_at = 0.0;  // by the storage's clock; set by the storage
  bool alive = true;                       // seen within the time a lease lasts
};

// Suggestions somebody waits for while another process coordinates, or results of points nobody
// suggested that somebody brings.
struct AskRequest {
  std::int64_t id = 0;
  std::int64_t count = 1;            // still to come
  std::string who;                   // a ProcessName, so that nobody suggests for one that is gone
  std::optional<Delivery> delivery;  // nothing: suggestions are wanted
};

// What a coordinator has to know at every turn.
struct QueueState {
  std::int64_t offered = 0;  // waiting, and workers may take them
  std::int64_t running = 0;
  std::int64_t untold = 0;    // ended, and not yet told to the method
  std::int64_t requests = 0;  // waiting for an answer
  std::int64_t slots = 0;     // of all workers alive
  bool ended = false;         // see set_ended()
};

enum class Completion {
  recorded,  // it is the trial's result now, or was already
  second,    // the trial had ended before: kept beside it, and changes nothing
  // A claim of a trial that is not stored any more, or is another point now: its suggestion was
  // lost when the server crashed. It is suggested again; the result is not kept.
  unknown,
};

// When a write survives a power failure.
enum class Durability {
  at_once,  // before the call returns
  // A moment later: WorkQueue::durable() says when. All that becomes ready while the disk is busy
  // with what came before shares the next sync.
  soon,
  // Once anybody has written anything durable after it; until then it can be lost, together with
  // all that followed. For suggestions that are evaluated on behalf of this study: a result that
  // is stored brings its suggestion along.
  with_the_next,
};

inline constexpr double kLeaseSeconds = 20.0;  // default of claims; renewed four times as often
inline constexpr int kMostLosses = 3;          // a trial whose worker is lost so often has failed

// The study itself, and what a coordinator needs to go on with it. Its roles follow below; values
// are in the user's own sign in all of them.
class StudyStore {
 public:
  virtual ~StudyStore() = default;

  virtual Result<std::optional<StudyRecord>> load_study() = 0;  // nullopt: nothing stored yet
  virtual Result<void> create_study(const StudyRecord& record) = 0;
  // What may change: how many evaluations, how they are made, and what is evaluated first.
  virtual Result<void> update_study(std::int64_t budget, const std::string& evaluate_json) = 0;
  // With a request, those that it brought are among them, and it is answered.
  virtual Result<void> set_start(const std::vector<PartialPoint>& start,
                                 std::int64_t request = 0) = 0;
  // Space, optimizer and changes of the record take the place of the stored ones. REQUIRES: every
  // stored point is one of the space.
  virtual Result<void> change_settings(const StudyRecord& record) = 0;
  // Replaces the previous one. When the power fails the previous one may come back.
  virtual Result<void> save_snapshot(const Snapshot& snapshot) = 0;
  virtual Result<std::optional<Snapshot>> load_snapshot() = 0;
  // Adds to the wall time that all runs together have taken; answers with the sum.
  virtual Result<double> spend(double seconds) = 0;
  // Makes the storage complete as one file, where it is a file. Costs a disk flush or two.
  virtual Result<void> settle() { return {}; }
};

// Every trial, and in which order they were told to the method. The coordinator writes.
class TrialLog {
 public:
  virtual ~TrialLog() = default;

  // One ask: trials with state waiting, all with the same asked_in, and the report when the ask
  // was the first of a training round. They are offered to workers, or, with a request, handed to
  // the one who made it and to nobody else; it is answered once it has as many as it asked for, and
  // a request that nobody waits for any more is an error, not_found. Or results from outside: ended
  // trials nobody asked for, all with one event as both asked_in and told_in.
  virtual Result<void> add_trials(std::span<const Trial> trials,
                                  const std::optional<AskReport>& report, std::int64_t request = 0,
                                  Durability durability = Durability::at_once) = 0;
  // One tell: open trials end, all with the same told_in.
  virtual Result<void> finish_trials(std::span<const Trial> trials,
                                     Durability durability = Durability::at_once) = 0;
  // One tell of trials that have ended already, as load_untold() gave them but for told_in; a
  // conflict when one has been revised since. Durability::with_the_next.
  virtual Result<void> tell_trials(std::span<const Trial> trials) = 0;

  virtual Result<std::optional<Trial>> load_trial(TrialId id) = 0;
  // In the order of ids; limit -1 = all.
  virtual Result<std::vector<Trial>> load_trials(TrialId first = 1, std::int64_t limit = -1) = 0;
  // All trials in the order of ids without their stderr_tail, which may be large.
  virtual Result<std::vector<Trial>> load_history() = 0;
  virtual Result<std::vector<Trial>> load_running() = 0;  // in the order of ids
  // Ended trials that have not been told to the method, in the order in which they ended.
  virtual Result<std::vector<Trial>> load_untold() = 0;
  // By its first value; the lowest id among equals; nullopt when nothing is completed.
  virtual Result<std::optional<Trial>> best_trial(Goal goal) = 0;
  virtual Result<TrialCounts> counts() = 0;
  // The last so many (-1 = all), oldest first.
  virtual Result<std::vector<RoundReport>> load_reports(std::int64_t last = -1) = 0;
};

// What workers take, and what people ask the coordinator for.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;

  // -- The coordinator. --
  // Open trials that workers may take from now on, once they wait; all others they may not.
  virtual Result<void> offer(std::span<const TrialId> ids) = 0;
  // Whether the study has ended and workers should exit.
  virtual Result<void> set_ended(bool ended) = 0;
  virtual Result<std::vector<AskRequest>> load_requests() = 0;  // those that wait, oldest first
  // One that has got some of its suggestions is answered with these instead.
  virtual Result<void> refuse_request(std::int64_t id, const std::string& why) = 0;

  // -- Workers. --
  // At most so many of the offered trials, lowest ids first. May be lost when the power fails.
  virtual Result<std::vector<Claim>> claim(const WorkerInfo& worker, std::int64_t most,
                                           double lease_seconds = kLeaseSeconds) = 0;
  // A sign of life, and how a worker becomes known: extends the leases; answers with the tokens
  // that are still valid.
  virtual Result<std::vector<std::int64_t>> renew(const WorkerInfo& worker,
                                                  std::span<const std::int64_t> tokens,
                                                  double lease_seconds = kLeaseSeconds) = 0;
  // Ends an open trial, whoever evaluates it now; `ended` has state, outcome, seconds, attempts,
  // stderr_tail and worker. token 0: told by hand, and a conflict when it has ended with another
  // result.
  Result<Completion> complete(const Trial& ended, std::int64_t token) {
    const Claim one{ended, token};
    Result<std::vector<Completion>> done = complete_all({&one, 1});
    return done ? Result<Completion>(done->front()) : done.error();
  }
  // Several that ended at about the same time: all are stored or, on an error, none.
  virtual Result<std::vector<Completion>> complete_all(std::span<const Claim> ended) = 0;
  // What a worker does all the time: complete_all() with Durability::soon, if anything has ended,
  // and claim(), in one write where the storage can do that. Calls `start` for each trial that was
  // claimed as soon as it is, also when an error follows.
  virtual Result<std::vector<Completion>> exchange(std::span<const Claim> ended,
                                                   const WorkerInfo& worker, std::int64_t most,
                                                   double lease_seconds,
                                                   const std::function<void(Claim)>& start);
  // Claimed trials wait again, as if they had not been claimed.
  virtual Result<void> give_back(std::span<const std::int64_t> tokens) = 0;
  virtual Result<void> leave(const WorkerInfo& worker) = 0;  // a worker exits
  // Running trials whose lease is over, or whose process on this machine is gone, wait again;
  // returns how many. With blame, one that was lost kMostLosses times has failed instead.
  virtual Result<std::int64_t> return_lost(bool blame = true) = 0;

  // -- People. --
  virtual Result<std::int64_t> request(std::int64_t count, const std::string& who) = 0;
  // A request that brings results instead; load_answer() then has the trials they became.
  virtual Result<std::int64_t> bring(const Delivery& delivery, const std::string& who) = 0;
  // nullopt: still waiting. An error is the coordinator's answer.
  virtual Result<std::optional<std::vector<Trial>>> load_answer(std::int64_t request) = 0;
  // One that has got some of its suggestions is answered with these.
  virtual Result<void> withdraw_request(std::int64_t id) = 0;

  // -- Everybody. --
  // How many of the writes with Durability::soon that were made here, in their order, would survive
  // a power failure by now; waits until so many do. The error says why the disk takes no more.
  virtual Result<std::int64_t> durable(std::int64_t at_least = 0);
  virtual Result<QueueState> queue_state() = 0;
  virtual Result<std::vector<WorkerInfo>> load_workers() = 0;
  virtual Result<double> now() = 0;  // by the storage's clock
  // Returns true as soon as somebody else may have changed something that concerns this role, and
  // false when the time is over. Asks nothing of a server.
  virtual Result<bool> wait(std::chrono::milliseconds at_most) = 0;
  // A file descriptor that is readable as soon as wait() would return true, so that one poll() can
  // wait for other things too; -1: there is none. REQUIRES: wait() has just returned false.
  virtual int wait_fd() { return -1; }
};

// What people change afterwards. Each leaves the trial as it was in load_revisions(), and what is
// given is all done or, on an error, nothing.
class Revisions {
 public:
  virtual ~Revisions() = default;

  // Another result for a trial that has ended: state, outcome, point and suggested.
  virtual Result<void> replace(const Trial& ended, const std::string& reason) = 0;
  // Waiting suggestions go, and their ids are never used again.
  virtual Result<void> drop(std::span<const TrialId> ids, const std::string& reason) = 0;
  // Failed trials wait again, and workers may take them.
  virtual Result<void> retry(std::span<const TrialId> ids, const std::string& reason) = 0;
  // In the order in which they were made; those not yet applied, or all.
  virtual Result<std::vector<Revision>> load_revisions(bool unapplied_only = false) = 0;
  // Marks these revisions as applied, all in one event. For the coordinator.
  virtual Result<void> apply_revisions(std::span<const std::int64_t> ids, EventId event) = 0;
};

// A storage has all roles; who needs one of them takes that one.
class Storage : public StudyStore, public TrialLog, public WorkQueue, public Revisions {
 public:
  // Whether what is stored agrees with itself beyond what every reading checks: the structure, and
  // what indexes and counters say with the rows. Takes as long as reading everything. The error,
  // damaged, says what is wrong.
  virtual Result<void> verify() { return {}; }
  // The same study once more, for another thread of this process.
  virtual Result<std::unique_ptr<Storage>> connect(Access access) = 0;
};

// Opens by URL: "memory:" (gone with the process), a path to an SQLite file (created when absent
// and access is coordinate), or "postgresql://user@host/database?study=name". Writers wait up to
// `wait_seconds` for each other. Error kinds: busy when another process coordinates, damaged when
// the file is not an intact vbo file, not_found when there is nothing to read.
Result<std::unique_ptr<Storage>> open_storage(const std::string& url, Access access,
                                              double wait_seconds = 30.0);

// The studies of a PostgreSQL database ("postgresql://user@host/database"), of a folder (its files
// *.db) or of a file: URLs for open_storage(), in order.
Result<std::vector<std::string>> list_studies(const std::string& database);

std::string this_host();

// Names one who evaluates, for WorkerInfo::process: machine, process, the moment it began, and a
// number. Others of this machine see at once when the process is gone, and this process when the
// object is.
class ProcessName {
 public:
  ProcessName();
  ~ProcessName();
  ProcessName(const ProcessName&) = delete;
  ProcessName& operator=(const ProcessName&) = delete;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace vbo

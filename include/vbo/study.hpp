// SPDX-License-Identifier: MIT
// A study: a space, a goal, a method, and every trial so far. Study alone touches both the
// optimizer and the world: it stores a suggestion before anybody may run it, and a result before
// it is told to the optimizer, so that killing the process at any moment loses nothing.
// Stability: a minor version of 0.x may change it.
// Threads: a Study belongs to one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/executor.hpp"
#include "vbo/front.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/stop_rule.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// What nobody chose: a new study takes the value beside it, a stored one keeps its own.
struct Unstated {
  bool name = false, budget = false, method = false, seed = false, batch = false, settings = false,
       start = false, evaluate = false, repeats = false;
};

struct StudyOptions {
  std::string name = "study";
  Space space;
  std::vector<Objective> objectives = {Objective{}};  // at most 8; their names are no parameters'
  std::int64_t budget = 1000;                         // evaluations
  OptimizerOptions optimizer;                         // its objectives are not looked at: see above
  Unstated unstated;
  std::string storage = "memory:";
  std::string evaluate_json;
  // Points to evaluate first, in this order; what has no value is the method's choice. Later ones
  // may be added when the study is opened again.
  std::vector<PartialPoint> start;
};

// What a Study is made of, for those who bring their own.
struct StudyParts {
  std::unique_ptr<Storage> storage;  // null: open_storage(options.storage)
  std::function<Result<std::unique_ptr<Optimizer>>(const Space&, const OptimizerOptions&)>
      make_optimizer;  // null: vbo::make_optimizer
};

// How Study::run and coordinate() go about it.
struct RunOptions {
  StopRule stop;
  const std::atomic<int>* interrupts = nullptr;  // 1 = finish what runs, 2 = stop at once
  std::function<void(const Trial&)> on_started;
  std::function<void(const Trial&)> on_finished;  // values in the user's sign

  // For coordinate():
  std::int64_t local_slots = 0;  // evaluations at a time of the workers in this process
  // Set to 1 when the workers of this process should finish what runs, to 2 when they should give
  // it back; and who says that they have ended. Null when there are none.
  std::atomic<int>* stop_workers = nullptr;
  const std::atomic<bool>* workers_ended = nullptr;
  std::function<void(const QueueState&)> on_turn;  // what the queue looks like, now and then
  // Counts results and requests that were found only because a wait had timed out: notifications
  // that were lost. Stays 0 where everybody announces what he commits.
  std::atomic<std::int64_t>* unannounced = nullptr;
};

class Study {
 public:
  // Creates the study in its storage, or resumes the one stored there. A stored study that
  // contradicts `options` is an Error::conflict that shows the difference. Another budget is fine,
  // and so are another method, its options and batch, wider bounds and more choices: the log keeps
  // from which event on they hold, and a new method learns all results; see change().
  static Result<Study> open(StudyOptions options, StudyParts parts = {});
  // Resumes whatever the storage holds. `threads` as in OptimizerOptions.
  static Result<Study> open_existing(const std::string& storage_url, int threads = 0);

  // The study that another process coordinates. It can be read, it answers ask() when the other
  // process does, and takes results and points to evaluate next; the rest, which only a coordinator
  // can do, is an Error::busy until the other process has closed it. Another budget than the stored
  // one is not stored.
  static Result<Study> join(StudyOptions options);
  static Result<Study> join(const std::string& storage_url, int threads = 0);
  bool is_joined() const;

  // As opening it again with these options would.
  Result<void> go_on_with(const StudyOptions& options);
  // Points to evaluate next, after StudyOptions::start and those that were enqueued before.
  Result<void> enqueue(std::vector<PartialPoint> points);

  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  ~Study();  // closes

  // Saves a snapshot when something happened since the last one, and lets go of the storage. Every
  // later call that needs the storage is an error.
  Result<void> close();

  // n new suggestions, stored and waiting. Fewer than n only when the space has no more points.
  Result<std::vector<Trial>> ask(std::int64_t n, Durability durability = Durability::at_once);
  // Ends an open trial. A value that is not finite ends it as failed. Telling twice is a conflict,
  // an id that was never suggested is not_found. Workers and other processes tell by
  // Storage::complete(); those results are told to the method before the next ask.
  Result<void> tell(TrialId id, double value);
  Result<void> tell(Outcome outcome);  // with metrics; outcome.attempts is not looked at
  Result<void> tell_failure(TrialId id, Failure failure);
  // Ends several open trials in one tell: all of them or, on an error, none.
  Result<void> tell(std::vector<Outcome> outcomes);
  // Results of points nobody suggested: they become ended trials with new ids, in this order, and
  // they are told to the method in one tell. They count as evaluations. All of them or none.
  Result<std::vector<Trial>> add(std::vector<Evaluated> results);

  // Corrections; see Storage. The log keeps what was before, and why it was changed.
  // Another result, and another point when `actual` was really set, for a trial that has ended.
  Result<void> replace(Outcome outcome, const std::string& reason,
                       std::optional<Point> actual = std::nullopt);
  Result<void> drop(std::vector<TrialId> ids, const std::string& reason = "");
  Result<void> retry(std::vector<TrialId> ids, const std::string& reason = "");
  // Ends an open trial at which another point was really set: any value of each parameter's range,
  // steps and constraints aside.
  Result<void> tell(Outcome outcome, Point actual);

  // Evaluates until the budget is spent, never more than executor.capacity() at once, refilling at
  // once when one ends. Trials left over by an earlier process come first.
  Result<RunEnd> run(Executor& executor, const RunOptions& options = {});

  // Asks and tells while workers elsewhere evaluate: threads of this process with connect() and
  // work(), or other processes. Suggestions are made ahead, as many as training would otherwise
  // make workers wait for; with one evaluation at a time nothing is, so that the same seed gives
  // the same study. Answers the requests of `vbo ask`.
  Result<RunEnd> coordinate(const RunOptions& options);
  // Answers the requests that wait, suggestions wanted and results brought; how many.
  Result<std::int64_t> answer_requests();
  // The same in pieces, for about so many seconds and what one piece takes; true: more is waiting.
  Result<bool> answer_requests(double seconds);
  // The study's storage once more, for a thread that works.
  Result<std::unique_ptr<Storage>> connect(Access access);

  const StudyRecord& record() const;
  // Of a study with several objectives only the front, or what weights choose from it.
  Result<std::optional<Trial>> best() const;
  Result<std::optional<Trial>> best(const std::map<std::string, double>& weights) const;
  Result<Front> front() const;
  Result<std::vector<Trial>> trials() const;
  Result<TrialCounts> counts() const;
  // What the method says about its last ask; values of the objective in the user's own sign.
  AskReport report() const;
  // Not empty when resuming could not be exact, e.g. because another build made the suggestions.
  const std::string& warning() const;
  // What opening it changed of its settings, e.g. "batch: stored 4, given 8"; mostly empty.
  const std::string& change() const;

  struct Impl;  // private to the library

 private:
  static Result<Study> join_now(const std::string& storage_url, int threads);
  explicit Study(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Where a study lives. One storage holds one study; one process writes, any number read.
// Every method that writes has committed durably when it returns success, and has changed nothing
// when it returns an error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// What defines a study and may not change while it lives, except for the budget.
struct StudyRecord {
  std::string name;
  Goal goal = Goal::minimize;
  std::int64_t budget = 0;  // evaluations
  Space space;
  OptimizerOptions optimizer;  // method, seed, batch, settings; threads is not stored
  std::string evaluate_json;   // the [evaluate] table as given, for display; "" when there is none
};  // optimizer.budget stays what it was when the study was created, so that replaying is exact

// The optimizer's state after all events up to and including `after`.
struct Snapshot {
  EventId after = 0;
  std::string bytes;
};

// What the method said in the first ask of a training round; objective in the user's own sign.
struct RoundReport {
  EventId event = 0;  // that ask
  AskReport report;
};

struct TrialCounts {
  std::int64_t waiting = 0, running = 0, completed = 0, failed = 0;
};

enum class Access { read, write };

// Values are in the user's own sign here.
class Storage {
 public:
  virtual ~Storage() = default;

  virtual Result<std::optional<StudyRecord>> load_study() = 0;  // nullopt: nothing stored yet
  virtual Result<void> create_study(const StudyRecord& record) = 0;
  // The two things that may change: how many evaluations, and how they are made.
  virtual Result<void> update_study(std::int64_t budget, const std::string& evaluate_json) = 0;

  // One ask: trials with state waiting, all with the same asked_in, and the report when the ask
  // was the first of a training round. Or results from outside: ended trials nobody asked for, all
  // with one event as both asked_in and told_in.
  virtual Result<void> add_trials(std::span<const Trial> trials,
                                  const std::optional<AskReport>& report) = 0;
  // May be lost when the power fails, as it is undone by requeue_running() anyway.
  virtual Result<void> set_running(TrialId id, int attempts) = 0;
  // Running trials without a living evaluator become waiting again; returns how many.
  virtual Result<std::int64_t> requeue_running() = 0;
  // One tell: finished trials, all with the same told_in.
  virtual Result<void> finish_trials(std::span<const Trial> trials) = 0;
  // Replaces the previous one. When the power fails the previous one may come back.
  virtual Result<void> save_snapshot(const Snapshot& snapshot) = 0;

  virtual Result<std::optional<Snapshot>> load_snapshot() = 0;
  virtual Result<std::optional<Trial>> load_trial(TrialId id) = 0;
  // In the order of ids; limit -1 = all.
  virtual Result<std::vector<Trial>> load_trials(TrialId first = 1, std::int64_t limit = -1) = 0;
  // All trials in the order of ids without their stderr_tail, which may be large.
  virtual Result<std::vector<Trial>> load_history() = 0;
  // The lowest id among equals; nullopt when nothing is completed.
  virtual Result<std::optional<Trial>> best_trial(Goal goal) = 0;
  virtual Result<TrialCounts> counts() = 0;
  // The last so many (-1 = all), oldest first.
  virtual Result<std::vector<RoundReport>> load_reports(std::int64_t last = -1) = 0;
};

// Opens by URL: "memory:" (gone with the process), or a path to an SQLite file (created when absent
// and access is write). Error kinds: busy when another process writes, damaged when the file is not
// an intact vbo file, not_found when there is nothing to read.
Result<std::unique_ptr<Storage>> open_storage(const std::string& url, Access access);

}  // namespace vbo

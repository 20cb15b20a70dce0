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

enum class Goal { minimize, maximize };

// What defines a study and may not change while it lives, except for the budget.
struct StudyRecord {
  std::string name;
  Goal goal = Goal::minimize;
  std::int64_t budget = 0;  // evaluations
  Space space;
  OptimizerOptions optimizer;  // method, seed, batch, settings; threads is not stored
  std::string evaluate_json;   // the [evaluate] table as given, for display; "" when there is none
};

// The optimizer's state after all events up to and including `after`.
struct Snapshot {
  EventId after = 0;
  std::string bytes;
};

struct RoundReport {
  EventId event = 0;  // the ask it belongs to
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
  virtual Result<void> set_budget(std::int64_t budget) = 0;

  // One ask: trials with state waiting, all with the same asked_in.
  virtual Result<void> add_trials(std::span<const Trial> trials, const AskReport& report) = 0;
  virtual Result<void> set_running(TrialId id, int attempts) = 0;
  // Running trials without a living evaluator become waiting again; returns how many.
  virtual Result<std::int64_t> requeue_running() = 0;
  // One tell: finished trials, all with the same told_in.
  virtual Result<void> finish_trials(std::span<const Trial> trials) = 0;
  virtual Result<void> save_snapshot(const Snapshot& snapshot) = 0;  // replaces the previous one

  virtual Result<std::optional<Snapshot>> load_snapshot() = 0;
  virtual Result<std::optional<Trial>> load_trial(TrialId id) = 0;
  virtual Result<std::vector<Trial>> load_trials(TrialId first = 1, std::int64_t limit = -1) = 0;
  virtual Result<std::optional<Trial>> best_trial(Goal goal) = 0;
  virtual Result<TrialCounts> counts() = 0;
  virtual Result<std::vector<RoundReport>> load_reports(std::int64_t last = -1) = 0;
};

// Opens by URL: "memory:", a path to an SQLite file (created when absent and access is write).
// Error kinds: busy when another process writes, damaged when the file is not an intact vbo file.
Result<std::unique_ptr<Storage>> open_storage(const std::string& url, Access access);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// A study in memory: for short-lived studies and for tests. Copies share one study, so a test can
// look at it, or resume it, after the Study that wrote it is gone. Fault injection makes the n-th
// write from now fail, as a full or read-only disk would, with nothing changed. Not thread-safe.
#pragma once

#include <map>
#include <memory>

#include "vbo/storage.hpp"

namespace vbo {

class MemoryStorage final : public Storage {
 public:
  MemoryStorage();

  // The n-th write from now (1 = the next) and all after it fail with `error` until repair().
  void fail_from_write(std::int64_t n, Error error);
  void repair();
  std::int64_t writes() const;  // successful ones so far

  Result<std::optional<StudyRecord>> load_study() override;
  Result<void> create_study(const StudyRecord& record) override;
  Result<void> update_study(std::int64_t budget, const std::string& evaluate_json) override;
  Result<void> add_trials(std::span<const Trial> trials,
                          const std::optional<AskReport>& report) override;
  Result<void> set_running(TrialId id, int attempts) override;
  Result<std::int64_t> requeue_running() override;
  Result<void> finish_trials(std::span<const Trial> trials) override;
  Result<void> save_snapshot(const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> load_snapshot() override;
  Result<std::optional<Trial>> load_trial(TrialId id) override;
  Result<std::vector<Trial>> load_trials(TrialId first, std::int64_t limit) override;
  Result<std::vector<Trial>> load_history() override;
  Result<std::optional<Trial>> best_trial(Goal goal) override;
  Result<TrialCounts> counts() override;
  Result<std::vector<RoundReport>> load_reports(std::int64_t last) override;

 private:
  struct State;
  Result<void> begin_write();

  std::shared_ptr<State> state_;
};

}  // namespace vbo

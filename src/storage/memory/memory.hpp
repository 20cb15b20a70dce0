// SPDX-License-Identifier: MIT
// A study in memory: for short-lived studies and for tests. Copies share one study, so a test can
// look at it, or resume it, after the Study that wrote it is gone, and threads can each have one.
// Fault injection makes the n-th write from now fail, as a full or read-only disk would, with
// nothing changed. One at a time may coordinate, but nobody checks: there is no other process.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "storage/notifier.hpp"
#include "vbo/storage.hpp"

namespace vbo {

class MemoryStorage final : public Storage {
 public:
  MemoryStorage();
  MemoryStorage(const MemoryStorage& other);
  MemoryStorage& operator=(const MemoryStorage&) = delete;

  // The n-th write from now (1 = the next) and all after it fail with `error` until repair().
  void fail_from_write(std::int64_t n, Error error);
  void repair();
  std::int64_t writes() const;  // successful ones so far
  // Leases are measured with this clock, seconds since 1970. For tests.
  void use_clock(std::function<double()> clock);

  Result<std::optional<StudyRecord>> load_study() override;
  Result<void> create_study(const StudyRecord& record) override;
  Result<void> update_study(std::int64_t budget, const std::string& evaluate_json) override;
  Result<void> set_start(const std::vector<PartialPoint>& start, std::int64_t request) override;
  Result<void> change_settings(const StudyRecord& record) override;
  Result<void> add_trials(std::span<const Trial> trials, const std::optional<AskReport>& report,
                          std::int64_t request, Durability durability) override;
  Result<void> finish_trials(std::span<const Trial> trials,
                             Durability durability = Durability::at_once) override;
  Result<void> tell_trials(std::span<const Trial> trials) override;
  Result<void> apply_revisions(std::span<const std::int64_t> ids, EventId event) override;
  Result<void> offer(std::span<const TrialId> ids) override;
  Result<void> save_snapshot(const Snapshot& snapshot) override;
  Result<void> set_ended(bool ended) override;
  Result<std::vector<AskRequest>> load_requests() override;
  Result<void> refuse_request(std::int64_t id, const std::string& why) override;
  Result<double> spend(double seconds) override;
  Result<std::vector<Claim>> claim(const WorkerInfo& worker, std::int64_t most,
                                   double lease_seconds) override;
  Result<std::vector<std::int64_t>> renew(const WorkerInfo& worker,
                                          std::span<const std::int64_t> tokens,
                                          double lease_seconds) override;
  Result<std::vector<Completion>> complete_all(std::span<const Claim> ended) override;
  Result<void> give_back(std::span<const std::int64_t> tokens) override;
  Result<void> leave(const WorkerInfo& worker) override;
  Result<std::int64_t> return_lost(bool blame) override;
  Result<std::int64_t> request(std::int64_t count, const std::string& who) override;
  Result<std::int64_t> bring(const Delivery& delivery, const std::string& who) override;
  Result<std::optional<std::vector<Trial>>> load_answer(std::int64_t request) override;
  Result<void> withdraw_request(std::int64_t id) override;
  Result<void> replace(const Trial& ended, const std::string& reason) override;
  Result<void> drop(std::span<const TrialId> ids, const std::string& reason) override;
  Result<void> retry(std::span<const TrialId> ids, const std::string& reason) override;
  Result<std::vector<Revision>> load_revisions(bool unapplied_only) override;
  Result<QueueState> queue_state() override;
  Result<std::vector<WorkerInfo>> load_workers() override;
  Result<std::vector<Trial>> load_running() override;
  Result<double> now() override;
  Result<std::vector<Trial>> load_untold() override;
  Result<std::optional<Snapshot>> load_snapshot() override;
  Result<std::optional<Trial>> load_trial(TrialId id) override;
  Result<std::vector<Trial>> load_trials(TrialId first, std::int64_t limit) override;
  Result<std::vector<Trial>> load_history() override;
  Result<std::optional<Trial>> best_trial(Goal goal) override;
  Result<TrialCounts> counts() override;
  Result<std::vector<RoundReport>> load_reports(std::int64_t last) override;
  Result<bool> wait(std::chrono::milliseconds at_most) override;
  int wait_fd() override { return subscription_ ? subscription_->fd() : -1; }
  Result<std::unique_ptr<Storage>> connect(Access access) override;

 private:
  struct State;
  MemoryStorage(std::shared_ptr<State> state, Access access);

  std::shared_ptr<State> state_;
  Access access_ = Access::coordinate;
  std::unique_ptr<Notifier::Subscription> subscription_;  // once it has waited
};

}  // namespace vbo

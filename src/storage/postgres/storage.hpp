// SPDX-License-Identifier: MIT
// A study in a PostgreSQL database, for workers on any number of machines. All times are the
// server's; changes are announced by NOTIFY, on one channel for the coordinator and one for
// everybody else.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/errors.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/lead.hpp"
#include "storage/postgres/url.hpp"
#include "vbo/storage.hpp"

namespace vbo::postgres {

class PostgresStorage final : public Storage {
 public:
  // Throws Fault. `study` 0: there is no such study yet, and it can only be looked at.
  PostgresStorage(std::string url, const Url& parsed, Access access);

  Result<std::optional<StudyRecord>> load_study() override;
  Result<void> create_study(const StudyRecord& record) override;
  Result<void> update_study(std::int64_t budget, const std::string& evaluate_json) override;
  Result<void> set_start(const std::vector<PartialPoint>& start, std::int64_t request) override;
  Result<void> change_settings(const StudyRecord& record) override;
  Result<void> add_trials(std::span<const Trial> trials, const std::optional<AskReport>& report,
                          std::int64_t request, Durability durability) override;
  Result<void> finish_trials(std::span<const Trial> trials, Durability durability) override;
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
  Result<void> verify() override;
  Result<bool> wait(std::chrono::milliseconds at_most) override;
  int wait_fd() override { return connection_.socket(); }
  Result<std::unique_ptr<Storage>> connect(Access access) override;

 private:
  void answer_with_what_there_is(std::int64_t request);  // when that is not nothing
  // One transaction of the coordinator, which is still the coordinator.
  template <class Work>
  Result<void> coordinated(Work work, Durability durability = Durability::at_once);
  Completion complete_one(const Claim& claim);
  void shorten_leases();
  void require_write() const;
  std::optional<StudyRecord> read_study();
  void require_space();
  std::optional<Trial> read_one(TrialId id);
  std::vector<Trial> read_trials(const Rows& rows, bool with_output);
  [[noreturn]] void fail_unchanged(TrialId id, const Error& otherwise);
  void answer(std::int64_t request, std::int64_t trials);
  bool store_end(const Trial& ended, std::int64_t token, double seconds_ago = 0.0);
  void count_told(std::span<const Trial> trials);
  void notify(const std::string& channel);
  // Writes down what a trial was before a revision.
  void log_revision(RevisionKind kind, const Trial& before, const std::string& reason);
  Trial read_for_revision(TrialId id);  // throws when there is none
  void count_again(TrialState before, std::optional<TrialState> now);

  std::string url_, study_name_;
  Access access_;
  Connection connection_;
  std::int64_t study_ = 0;
  std::string for_workers_, for_coordinator_;  // channels
  bool listens_ = false;                       // a worker that has nothing to do
  std::unique_ptr<Lead> lead_;                 // the coordinator's
  std::optional<Space> space_;
};

template <class Work>
Result<void> PostgresStorage::coordinated(Work work, Durability durability) {
  return attempt([&] {
    require_write();
    if (!lead_) throw Fault{storage_error::not_coordinating()};
    Transaction transaction(connection_);
    lead_->require(connection_, durability);
    work();
    transaction.commit();
  });
}

}  // namespace vbo::postgres

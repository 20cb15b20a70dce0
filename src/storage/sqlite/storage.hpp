// SPDX-License-Identifier: MIT
// A study in one SQLite file, in write-ahead mode: any number of processes of one machine write by
// short transactions, readers never wait, and nothing that was committed is lost when a process is
// killed or the power fails.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "storage/sqlite/database.hpp"
#include "storage/sqlite/lock.hpp"
#include "storage/sqlite/syncer.hpp"
#include "storage/sqlite/watch.hpp"
#include "vbo/storage.hpp"

namespace vbo::sqlite {

// What tells one state of a file from another.
struct FileStamp {
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed = 0;  // nanoseconds
  static FileStamp of(const std::string& path);
  bool operator==(const FileStamp&) const = default;
};

// Notices that another program has written into the file while it is in use, as `cp` over it does.
// While there is a log only checkpoints write there, and whoever makes one has looked before.
class BaseFile {
 public:
  BaseFile(const Database& database, const std::string& path) { (void)look(database, path); }
  // False once another program has written there.
  bool look(const Database& database, const std::string& path);

 private:
  struct Seen {
    FileStamp stamp;
    Database::Checkpoints checkpoints;
  };
  std::optional<Seen> seen_;
  bool overwritten_ = false;
};

// A connection that only reads. When there is no log (-wal) nobody has the file open, and it is
// read as it is, without the helper files SQLite would leave beside it; `still` then says which
// state was opened, for somebody may begin to write at any moment.
struct Reader {
  Database database;
  std::optional<FileStamp> still;
};
Reader open_for_reading(const std::string& path);

class SqliteStorage final : public Storage {
 public:
  SqliteStorage(const std::string& path, Reader reader)
      : path_(path),
        access_(Access::read),
        still_(reader.still),
        database_(std::move(reader.database)) {}
  // With a lock it is the coordinator.
  SqliteStorage(const std::string& path, Database database, std::optional<WriterLock> lock,
                double wait_seconds);
  ~SqliteStorage() override;

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
  Result<void> settle() override;
  Result<double> spend(double seconds) override;
  Result<std::vector<Claim>> claim(const WorkerInfo& worker, std::int64_t most,
                                   double lease_seconds) override;
  Result<std::vector<std::int64_t>> renew(const WorkerInfo& worker,
                                          std::span<const std::int64_t> tokens,
                                          double lease_seconds) override;
  Result<std::vector<Completion>> complete_all(std::span<const Claim> ended) override;
  Result<std::vector<Completion>> exchange(std::span<const Claim> ended, const WorkerInfo& worker,
                                           std::int64_t most, double lease_seconds,
                                           const std::function<void(Claim)>& start) override;
  Result<std::int64_t> durable(std::int64_t at_least) override;
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
  int wait_fd() override { return watch_ ? watch_->fd() : -1; }
  Result<std::unique_ptr<Storage>> connect(Access access) override;

 private:
  friend class Write;

  // Runs what only reads; again when the file changed under a connection that relies on it not to.
  template <class Work>
  auto reading(Work work);

  // The table of trials as a FROM clause has it. Readers do not rely on its indexes, of which
  // nobody has checked that they agree with the rows; a coordinator has when it opened the file.
  std::string_view table() const {
    return access_ == Access::read ? "trials NOT INDEXED" : "trials";
  }
  TrialCounts count_rows();
  Fault rows_missing() const;
  void require_all_told(std::span<const Trial> trials);
  std::string in_file(const std::string& what) const;
  std::optional<StudyRecord> read_study();
  void require_space();
  void require_coordinator() const;
  [[noreturn]] void fail_unchanged(TrialId id, const Error& otherwise);
  std::optional<Trial> read_one(TrialId id);
  std::vector<Trial> read_request(std::int64_t request);
  void answer_with_what_there_is(std::int64_t request);  // when that is not nothing
  std::size_t most_trials();
  template <class... Values>
  void append_trials(std::vector<Trial>& trials, bool with_output, std::string_view condition,
                     const Values&... values);
  template <class... Values>
  std::vector<Trial> select_trials(bool with_output, std::string_view condition,
                                   const Values&... values);
  Trial read_trial(const Statement& row);
  // Writes how an open trial ended; told_in 0 leaves it untold. False when it had ended before.
  void answer(std::int64_t request, std::int64_t trials);
  bool store_end(const Trial& ended, std::int64_t token, double seconds_ago = 0.0);
  Completion complete_one(const Claim& claim);
  bool has_offers();
  // REQUIRES: a write.
  std::vector<Claim> take_offers(const WorkerInfo& worker, std::int64_t most, double lease_seconds);
  void count_told(std::span<const Trial> trials);
  // Writes down what a trial was before a revision.
  void log_revision(RevisionKind kind, const Trial& before, const std::string& reason);
  Trial read_for_revision(TrialId id);  // throws when there is none
  void count_again(TrialState before, std::optional<TrialState> now);
  void see(const WorkerInfo& worker);
  void announce(Audience audience);  // what is committed
  void make_durable();               // what is committed; throws when the disk fails
  void recover_syncs();              // the same after a background sync has failed
  void require_own_file();           // throws when another program has written into the file
  std::string path_;
  Access access_;
  double wait_seconds_ = 0.0;
  std::optional<FileStamp> still_;  // see Reader
  std::optional<WriterLock> lock_;  // before the database: let go after it is closed
  Database database_;
  std::optional<BaseFile> base_;  // of who may write
  std::optional<Space> space_;    // of the stored study, once known
  std::shared_ptr<Notifier> notifier_ = std::make_shared<Notifier>();
  std::unique_ptr<Watch> watch_;  // once we have waited
  // Held while writing. Connections of one process take turns without SQLite's pauses.
  std::shared_ptr<std::mutex> writing_ = std::make_shared<std::mutex>();
  std::shared_ptr<Syncer> syncer_ = std::make_shared<Syncer>(path_);  // of this process
  std::deque<std::int64_t> soon_;  // what the syncer calls our writes that are not yet durable
  std::int64_t durable_ = 0;       // those before
  bool sync_failed_ = false;
  std::int64_t seen_version_ = 0;
  bool wrote_ = false;  // or somebody did who could not settle
};

}  // namespace vbo::sqlite

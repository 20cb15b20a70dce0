// SPDX-License-Identifier: MIT
// A study in one SQLite file, in write-ahead mode: one writer, any number of readers at the same
// time, and nothing that was committed is lost when the process is killed or the power fails.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/sqlite/database.hpp"
#include "storage/sqlite/lock.hpp"
#include "vbo/storage.hpp"

namespace vbo::sqlite {

// A reader of a closed study makes SQLite create two helper files (-wal, -shm), which only a writer
// removes again. This does it at the end of a reader's life, when there is nothing in them.
class ReaderCleanup {
 public:
  explicit ReaderCleanup(std::string path) : path_(std::move(path)) {}
  ReaderCleanup(ReaderCleanup&&) = default;
  ~ReaderCleanup();

 private:
  std::string path_;  // empty: nothing to do
};

class SqliteStorage final : public Storage {
 public:
  // Without a lock it is a reader.
  SqliteStorage(const std::string& path, Database database, std::optional<WriterLock> lock)
      : path_(path),
        cleanup_(lock ? std::string() : path),
        lock_(std::move(lock)),
        database_(std::move(database)) {}

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
  std::string in_file(const std::string& what) const;
  std::optional<StudyRecord> read_study();
  void require_space();
  // After an update of one open trial: throws when there was none.
  void write_outcomes(std::span<const Trial> trials);  // of trials without one, in a transaction
  void require_changed(TrialId id);
  template <class... Values>
  std::vector<Trial> select_trials(bool with_output, std::string_view condition,
                                   const Values&... values);
  Trial read_trial(const Statement& row);

  std::string path_;
  // Before the database: they act after it is closed.
  ReaderCleanup cleanup_;
  std::optional<WriterLock> lock_;
  Database database_;
  std::optional<Space> space_;  // of the stored study, once known
};

}  // namespace vbo::sqlite

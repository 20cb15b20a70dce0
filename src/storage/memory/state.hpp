// SPDX-License-Identifier: MIT
// What the copies of one study in memory share.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "storage/memory/memory.hpp"
#include "storage/process.hpp"
#include "storage/result_of_trial.hpp"

namespace vbo {

inline bool is_open(const Trial& trial) { return !trial.has_ended(); }

// What the queue knows of a trial, beside the trial itself.
struct MemoryEntry {
  Trial trial;
  bool offered = false;
  std::int64_t request = 0;
  std::int64_t token = 0;  // of the last claim
  std::string process;
  double lease_until = 0.0;
  int losses = 0;
};

struct MemoryRequest {
  AskRequest ask;
  bool answered = false;
  std::string refused;  // why; empty unless it was
};

struct MemoryStorage::State {
  std::mutex mutex;
  std::shared_ptr<Notifier> notifier = std::make_shared<Notifier>();
  std::function<double()> clock = system_seconds;
  std::function<double()> lease_clock = machine_seconds;

  std::optional<StudyRecord> study;
  std::map<TrialId, MemoryEntry> trials;
  std::vector<TrialId> untold;  // in the order in which they ended
  std::set<TrialId> offered, running;
  std::map<std::int64_t, TrialId> claims;  // by token, of running trials
  std::map<std::int64_t, MemoryRequest> requests;
  std::map<std::pair<std::string, std::string>, WorkerInfo> workers;
  std::int64_t last_request = 0;
  bool ended = false;
  std::optional<Snapshot> snapshot;
  std::vector<RoundReport> reports;
  std::vector<Revision> revisions;  // the id of each is its place here, counted from 1
  double spent = 0.0;               // seconds
  std::int64_t writes = 0;
  std::int64_t until_failure = -1;  // writes that still succeed; -1 = no failure planned
  Error failure;

  // Call before the first change of every write. Whoever is woken waits for the mutex, and so for
  // the change.
  Result<void> begin_write(Audience announced_to = Audience::nobody) {
    if (until_failure == 0) return failure;
    if (until_failure > 0) --until_failure;
    ++writes;
    notifier->notify(announced_to, nullptr);
    return {};
  }
  bool has_some(std::int64_t request) const {
    return std::ranges::any_of(trials, [&](const auto& t) { return t.second.request == request; });
  }
  void add_revision(Revision revision) {
    revision.id = std::ssize(revisions) + 1;
    revisions.push_back(std::move(revision));
  }
  void set_waiting(MemoryEntry& entry) {
    entry.trial.state = TrialState::waiting;
    running.erase(entry.trial.id);
    claims.erase(entry.token);
    if (entry.offered) offered.insert(entry.trial.id);
  }
  void end(MemoryEntry& entry, const Trial& ended_trial, double seconds_ago = 0.0) {
    Trial& stored = entry.trial;
    take_outcome(stored, ended_trial);
    stored.seconds = ended_trial.seconds;
    stored.attempts = ended_trial.attempts;
    stored.stderr_tail = ended_trial.stderr_tail;
    if (ended_trial.suggested) {
      stored.point = ended_trial.point;
      stored.suggested = ended_trial.suggested;
    }
    if (!ended_trial.worker.empty()) stored.worker = ended_trial.worker;
    stored.finished_at = clock() - seconds_ago;
    offered.erase(stored.id);
    running.erase(stored.id);
    claims.erase(entry.token);
  }
  void see(const WorkerInfo& worker) {
    WorkerInfo& known = workers[{worker.process, worker.name}];
    const double started = known.started_at > 0.0 ? known.started_at : clock();
    known = worker;
    known.started_at = started;
    known.seen_at = clock();
  }
};

}  // namespace vbo

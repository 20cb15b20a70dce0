// SPDX-License-Identifier: MIT
#include "storage/memory/memory.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "storage/errors.hpp"
#include "storage/process.hpp"

namespace vbo {
namespace {

bool is_open(const Trial& trial) {
  return trial.state == TrialState::waiting || trial.state == TrialState::running;
}

// What the queue knows of a trial, beside the trial itself.
struct Entry {
  Trial trial;
  bool offered = false;
  std::int64_t request = 0;
  std::int64_t token = 0;  // of the last claim
  std::string process;
  double lease_until = 0.0;
  int losses = 0;
};

struct Request {
  AskRequest ask;
  bool answered = false;
  std::string refused;  // why; empty unless it was
};

}  // namespace

struct MemoryStorage::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t changes = 0;
  std::function<double()> clock = system_seconds;

  std::optional<StudyRecord> study;
  std::map<TrialId, Entry> trials;
  std::vector<TrialId> untold;  // in the order in which they ended
  std::set<TrialId> offered, running;
  std::map<std::int64_t, TrialId> claims;  // by token, of running trials
  std::map<std::int64_t, Request> requests;
  std::map<std::pair<std::string, std::string>, WorkerInfo> workers;
  std::int64_t last_request = 0;
  bool ended = false;
  std::optional<Snapshot> snapshot;
  std::vector<RoundReport> reports;
  std::int64_t writes = 0;
  std::int64_t until_failure = -1;  // writes that still succeed; -1 = no failure planned
  Error failure;

  // Call before the first change of every write.
  Result<void> begin_write() {
    if (until_failure == 0) return failure;
    if (until_failure > 0) --until_failure;
    ++writes;
    ++changes;
    changed.notify_all();
    return {};
  }
  void set_waiting(Entry& entry) {
    entry.trial.state = TrialState::waiting;
    running.erase(entry.trial.id);
    claims.erase(entry.token);
    if (entry.offered) offered.insert(entry.trial.id);
  }
  void end(Entry& entry, const Trial& ended_trial) {
    Trial& stored = entry.trial;
    stored.state = ended_trial.state;
    stored.value = ended_trial.value;
    stored.failure = ended_trial.failure;
    stored.metrics = ended_trial.metrics;
    stored.seconds = ended_trial.seconds;
    stored.attempts = ended_trial.attempts;
    stored.stderr_tail = ended_trial.stderr_tail;
    if (!ended_trial.worker.empty()) stored.worker = ended_trial.worker;
    stored.finished_at = clock();
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

MemoryStorage::MemoryStorage() : state_(std::make_shared<State>()) {}

void MemoryStorage::fail_from_write(std::int64_t n, Error error) {
  const std::scoped_lock lock(state_->mutex);
  state_->until_failure = n - 1;
  state_->failure = std::move(error);
}

void MemoryStorage::repair() {
  const std::scoped_lock lock(state_->mutex);
  state_->until_failure = -1;
}

std::int64_t MemoryStorage::writes() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->writes;
}

void MemoryStorage::use_clock(std::function<double()> clock) {
  const std::scoped_lock lock(state_->mutex);
  state_->clock = std::move(clock);
}

Result<std::optional<StudyRecord>> MemoryStorage::load_study() {
  const std::scoped_lock lock(state_->mutex);
  return state_->study;
}

Result<void> MemoryStorage::create_study(const StudyRecord& record) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->study) return storage_error::study_exists();
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->study = record;
  return {};
}

Result<void> MemoryStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->study->budget = budget;
  state_->study->evaluate_json = evaluate_json;
  return {};
}

Result<void> MemoryStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report,
                                       std::int64_t request) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  for (const Trial& trial : trials) {
    if (state_->trials.contains(trial.id)) return storage_error::id_used(trial.id);
  }
  const auto asked = state_->requests.find(request);
  if (request != 0 && asked == state_->requests.end()) return storage_error::no_request(request);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) {
    Entry& entry = state_->trials[trial.id];
    entry.trial = trial;
    entry.trial.asked_at = state_->clock();
    entry.request = request;
    entry.offered = request == 0 && trial.told_in == 0;  // not what ended elsewhere
    if (entry.offered) state_->offered.insert(trial.id);
  }
  if (request != 0) asked->second.answered = true;
  if (report && !trials.empty()) state_->reports.push_back({trials.front().asked_in, *report});
  return {};
}

Result<void> MemoryStorage::finish_trials(std::span<const Trial> trials) {
  const std::scoped_lock lock(state_->mutex);
  for (const Trial& trial : trials) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end()) return storage_error::no_trial(trial.id);
    if (!is_open(it->second.trial)) return storage_error::already_ended(trial.id);
  }
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) {
    Entry& entry = state_->trials[trial.id];
    state_->end(entry, trial);
    entry.trial.told_in = trial.told_in;
  }
  return {};
}

Result<void> MemoryStorage::tell_trials(std::span<const Trial> trials) {
  const std::scoped_lock lock(state_->mutex);
  for (const Trial& trial : trials) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end()) return storage_error::no_trial(trial.id);
    if (is_open(it->second.trial) || it->second.trial.told_in != 0) {
      return storage_error::not_ended(trial.id);
    }
  }
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) {
    state_->trials[trial.id].trial.told_in = trial.told_in;
    std::erase(state_->untold, trial.id);
  }
  return {};
}

Result<void> MemoryStorage::offer(std::span<const TrialId> ids) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const TrialId id : state_->offered) state_->trials[id].offered = false;
  for (const TrialId id : state_->running) state_->trials[id].offered = false;
  state_->offered.clear();
  for (const TrialId id : ids) {
    const auto it = state_->trials.find(id);
    if (it == state_->trials.end() || !is_open(it->second.trial)) continue;
    it->second.offered = true;
    if (it->second.trial.state == TrialState::waiting) state_->offered.insert(id);
  }
  return {};
}

Result<void> MemoryStorage::save_snapshot(const Snapshot& snapshot) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->snapshot = snapshot;
  return {};
}

Result<void> MemoryStorage::set_ended(bool ended) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->ended == ended) return {};
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->ended = ended;
  return {};
}

Result<std::vector<AskRequest>> MemoryStorage::load_requests() {
  const std::scoped_lock lock(state_->mutex);
  std::vector<AskRequest> open;
  for (const auto& [id, request] : state_->requests) {
    if (!request.answered && request.refused.empty()) open.push_back(request.ask);
  }
  return open;
}

Result<void> MemoryStorage::refuse_request(std::int64_t id, const std::string& why) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->requests.find(id);
  if (it == state_->requests.end()) return storage_error::no_request(id);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  it->second.refused = why;
  return {};
}

Result<std::vector<Claim>> MemoryStorage::claim(const WorkerInfo& worker, std::int64_t most,
                                                double lease_seconds) {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Claim> claims;
  if (state_->offered.empty() || most < 1) return claims;
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  while (!state_->offered.empty() && std::ssize(claims) < most) {
    Entry& entry = state_->trials[*state_->offered.begin()];
    state_->offered.erase(state_->offered.begin());
    entry.trial.state = TrialState::running;
    ++entry.trial.attempts;
    entry.trial.started_at = state_->clock();
    entry.trial.worker = worker.name;
    entry.process = worker.process;
    entry.token = new_token();
    entry.lease_until = state_->clock() + lease_seconds;
    state_->running.insert(entry.trial.id);
    state_->claims[entry.token] = entry.trial.id;
    claims.push_back({entry.trial, entry.token});
  }
  return claims;
}

Result<std::vector<std::int64_t>> MemoryStorage::renew(const WorkerInfo& worker,
                                                       std::span<const std::int64_t> tokens,
                                                       double lease_seconds) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->see(worker);
  std::vector<std::int64_t> valid;
  for (const std::int64_t token : tokens) {
    const auto it = state_->claims.find(token);
    if (it == state_->claims.end()) continue;
    state_->trials[it->second].lease_until = state_->clock() + lease_seconds;
    valid.push_back(token);
  }
  return valid;
}

Result<Completion> MemoryStorage::complete(const Trial& ended, std::int64_t token) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->trials.find(ended.id);
  if (it == state_->trials.end()) return storage_error::no_trial(ended.id);
  Entry& entry = it->second;
  if (!is_open(entry.trial)) {
    if (storage_error::same_result(entry.trial, ended) && (token == 0 || token == entry.token)) {
      return Completion::recorded;
    }
    if (token == 0) return storage_error::already_ended(entry.trial);
    if (const auto ready = state_->begin_write(); !ready) return ready.error();
    return Completion::second;
  }
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->end(entry, ended);
  if (token != 0) entry.token = token;
  state_->untold.push_back(ended.id);
  return Completion::recorded;
}

Result<void> MemoryStorage::give_back(std::span<const std::int64_t> tokens) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const std::int64_t token : tokens) {
    const auto it = state_->claims.find(token);
    if (it == state_->claims.end()) continue;
    Entry& entry = state_->trials[it->second];
    --entry.trial.attempts;
    state_->set_waiting(entry);
  }
  return {};
}

Result<void> MemoryStorage::leave(const WorkerInfo& worker) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->workers.erase({worker.process, worker.name});
  return {};
}

Result<std::int64_t> MemoryStorage::return_lost(bool blame) {
  const std::scoped_lock lock(state_->mutex);
  std::erase_if(state_->workers,
                [](const auto& entry) { return process_is_gone(entry.first.first); });
  std::vector<TrialId> lost;
  for (const TrialId id : state_->running) {
    const Entry& entry = state_->trials[id];
    if (entry.lease_until < state_->clock() || process_is_gone(entry.process)) lost.push_back(id);
  }
  if (lost.empty()) return 0;
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const TrialId id : lost) {
    Entry& entry = state_->trials[id];
    state_->set_waiting(entry);
    if (!blame || ++entry.losses < kMostLosses) continue;
    Trial failed = entry.trial;
    failed.state = TrialState::failed;
    failed.failure = storage_error::lost_too_often(entry.losses);
    state_->end(entry, failed);
    state_->untold.push_back(id);
  }
  return std::ssize(lost);
}

Result<std::int64_t> MemoryStorage::request(std::int64_t count, const std::string& who) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  const std::int64_t id = ++state_->last_request;
  state_->requests[id].ask = {id, count, who};
  return id;
}

Result<std::optional<std::vector<Trial>>> MemoryStorage::load_answer(std::int64_t id) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->requests.find(id);
  if (it == state_->requests.end()) return storage_error::no_request(id);
  if (!it->second.refused.empty()) return Error{ErrorKind::conflict, it->second.refused};
  if (!it->second.answered) return std::optional<std::vector<Trial>>();
  std::vector<Trial> trials;
  for (const auto& [trial, entry] : state_->trials) {
    if (entry.request == id) trials.push_back(entry.trial);
  }
  return std::optional(std::move(trials));
}

Result<void> MemoryStorage::withdraw_request(std::int64_t id) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  const auto it = state_->requests.find(id);
  if (it != state_->requests.end() && !it->second.answered) state_->requests.erase(it);
  return {};
}

Result<QueueState> MemoryStorage::queue_state() {
  const std::scoped_lock lock(state_->mutex);
  QueueState queue;
  queue.offered = std::ssize(state_->offered);
  queue.running = std::ssize(state_->running);
  queue.untold = std::ssize(state_->untold);
  for (const auto& [id, request] : state_->requests) {
    queue.requests += !request.answered && request.refused.empty();
  }
  for (const auto& [key, worker] : state_->workers) {
    if (worker.seen_at > state_->clock() - kLeaseSeconds) queue.slots += worker.slots;
  }
  queue.ended = state_->ended;
  return queue;
}

Result<std::vector<WorkerInfo>> MemoryStorage::load_workers() {
  const std::scoped_lock lock(state_->mutex);
  std::vector<WorkerInfo> workers;
  for (const auto& [key, worker] : state_->workers) {
    workers.push_back(worker);
    workers.back().alive = worker.seen_at > state_->clock() - kLeaseSeconds;
  }
  return workers;
}

Result<std::vector<Trial>> MemoryStorage::load_running() {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Trial> trials;
  for (const TrialId id : state_->running) trials.push_back(state_->trials[id].trial);
  return trials;
}

Result<double> MemoryStorage::now() {
  const std::scoped_lock lock(state_->mutex);
  return state_->clock();
}

Result<std::vector<Trial>> MemoryStorage::load_untold() {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Trial> trials;
  for (const TrialId id : state_->untold) trials.push_back(state_->trials[id].trial);
  return trials;
}

Result<std::optional<Snapshot>> MemoryStorage::load_snapshot() {
  const std::scoped_lock lock(state_->mutex);
  return state_->snapshot;
}

Result<std::optional<Trial>> MemoryStorage::load_trial(TrialId id) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->trials.find(id);
  if (it == state_->trials.end()) return std::optional<Trial>();
  return std::optional<Trial>(it->second.trial);
}

Result<std::vector<Trial>> MemoryStorage::load_trials(TrialId first, std::int64_t limit) {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Trial> trials;
  for (auto it = state_->trials.lower_bound(first); it != state_->trials.end(); ++it) {
    if (limit >= 0 && std::ssize(trials) >= limit) break;
    trials.push_back(it->second.trial);
  }
  return trials;
}

Result<std::vector<Trial>> MemoryStorage::load_history() {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Trial> trials;
  trials.reserve(state_->trials.size());
  for (const auto& [id, entry] : state_->trials) {
    trials.push_back(entry.trial);
    trials.back().stderr_tail.clear();
  }
  return trials;
}

Result<std::optional<Trial>> MemoryStorage::best_trial(Goal goal) {
  const std::scoped_lock lock(state_->mutex);
  const Trial* best = nullptr;
  for (const auto& [id, entry] : state_->trials) {
    const Trial& trial = entry.trial;
    if (!trial.value) continue;
    const bool better = best && (goal == Goal::minimize ? *trial.value < *best->value
                                                        : *trial.value > *best->value);
    if (!best || better) best = &trial;
  }
  return best ? std::optional<Trial>(*best) : std::nullopt;
}

Result<TrialCounts> MemoryStorage::counts() {
  const std::scoped_lock lock(state_->mutex);
  TrialCounts counts;
  for (const auto& [id, entry] : state_->trials) {
    switch (entry.trial.state) {
      case TrialState::waiting:
        ++counts.waiting;
        break;
      case TrialState::running:
        ++counts.running;
        break;
      case TrialState::completed:
        ++counts.completed;
        break;
      case TrialState::failed:
        ++counts.failed;
        break;
    }
  }
  return counts;
}

Result<std::vector<RoundReport>> MemoryStorage::load_reports(std::int64_t last) {
  const std::scoped_lock lock(state_->mutex);
  const auto& all = state_->reports;
  const auto size = std::ssize(all);
  const auto skip = last < 0 ? 0 : std::max<std::ptrdiff_t>(0, size - last);
  return std::vector<RoundReport>(all.begin() + skip, all.end());
}

Result<bool> MemoryStorage::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(state_->mutex);
  const bool changed =
      state_->changed.wait_for(lock, at_most, [&] { return state_->changes != seen_; });
  seen_ = state_->changes;
  return changed;
}

Result<std::unique_ptr<Storage>> MemoryStorage::connect(Access) {
  return std::unique_ptr<Storage>(new MemoryStorage(state_));
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What workers and people write: claims, leases, results, requests.
#include <algorithm>

#include "storage/errors.hpp"
#include "storage/memory/state.hpp"
#include "storage/result_of_trial.hpp"

namespace vbo {

Result<void> MemoryStorage::offer(std::span<const TrialId> ids) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(Audience::workers); !ready) return ready.error();
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
  if (const auto ready = state_->begin_write(Audience::workers); !ready) return ready.error();
  if (state_->has_some(id)) {
    it->second.answered = true;
  } else {
    it->second.refused = why;
  }
  return {};
}

Result<std::vector<Claim>> MemoryStorage::claim(const WorkerInfo& worker, std::int64_t most,
                                                double lease_seconds) {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Claim> claims;
  if (state_->offered.empty() || most < 1) return claims;
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  while (!state_->offered.empty() && std::ssize(claims) < most) {
    MemoryEntry& entry = state_->trials[*state_->offered.begin()];
    state_->offered.erase(state_->offered.begin());
    entry.trial.state = TrialState::running;
    ++entry.trial.attempts;
    entry.trial.started_at = state_->clock();
    entry.trial.worker = worker.name;
    entry.process = worker.process;
    entry.token = new_token();
    entry.lease_until = state_->lease_clock() + lease_seconds;
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
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  state_->see(worker);
  std::vector<std::int64_t> valid;
  for (const std::int64_t token : tokens) {
    const auto it = state_->claims.find(token);
    if (it == state_->claims.end()) continue;
    state_->trials[it->second].lease_until = state_->lease_clock() + lease_seconds;
    valid.push_back(token);
  }
  return valid;
}

Result<std::vector<Completion>> MemoryStorage::complete_all(std::span<const Claim> ended) {
  const std::scoped_lock lock(state_->mutex);
  bool writes = false;
  std::vector<Completion> completions;
  for (const auto& [trial, token, ended_at] : ended) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end()) {
      if (token == 0) return storage_error::no_trial(trial.id);
      completions.push_back(Completion::unknown);
      continue;
    }
    const MemoryEntry& entry = it->second;
    const bool open = is_open(entry.trial);
    const bool again =
        !open && same_result(entry.trial, trial) && (token == 0 || token == entry.token);
    if (!open && !again && token == 0) return storage_error::already_ended(entry.trial);
    completions.push_back(open || again ? Completion::recorded : Completion::second);
    writes = writes || !again;
  }
  if (!writes) return completions;
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  for (const auto& [trial, token, ended_at] : ended) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end() || !is_open(it->second.trial)) continue;
    MemoryEntry& entry = it->second;
    state_->end(entry, trial, seconds_since(ended_at));
    if (token != 0) entry.token = token;
    state_->untold.push_back(trial.id);
  }
  return completions;
}

Result<void> MemoryStorage::give_back(std::span<const std::int64_t> tokens) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(Audience::everybody); !ready) return ready.error();
  for (const std::int64_t token : tokens) {
    const auto it = state_->claims.find(token);
    if (it == state_->claims.end()) continue;
    MemoryEntry& entry = state_->trials[it->second];
    --entry.trial.attempts;
    state_->set_waiting(entry);
  }
  return {};
}

Result<void> MemoryStorage::leave(const WorkerInfo& worker) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  state_->workers.erase({worker.process, worker.name});
  return {};
}

Result<std::int64_t> MemoryStorage::return_lost(bool blame) {
  const std::scoped_lock lock(state_->mutex);
  std::erase_if(state_->workers,
                [](const auto& entry) { return process_is_gone(entry.first.first); });
  std::vector<TrialId> lost;
  for (const TrialId id : state_->running) {
    const MemoryEntry& entry = state_->trials[id];
    if (entry.lease_until < state_->lease_clock() || process_is_gone(entry.process))
      lost.push_back(id);
  }
  if (lost.empty()) return 0;
  if (const auto ready = state_->begin_write(Audience::everybody); !ready) return ready.error();
  for (const TrialId id : lost) {
    MemoryEntry& entry = state_->trials[id];
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
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
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
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  const auto it = state_->requests.find(id);
  if (it == state_->requests.end() || it->second.answered) return {};
  if (state_->has_some(id)) {
    it->second.answered = true;
  } else {
    state_->requests.erase(it);
  }
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
  std::map<std::pair<std::string, std::string>, std::int64_t> ended;
  for (const auto& [id, entry] : state_->trials) {
    if (!is_open(entry.trial)) ++ended[{entry.process, entry.trial.worker}];
  }
  for (const auto& [key, worker] : state_->workers) {
    workers.push_back(worker);
    workers.back().completed = std::max(worker.completed, ended[key]);
    workers.back().alive = worker.seen_at > state_->clock() - kLeaseSeconds;
  }
  return workers;
}

}  // namespace vbo

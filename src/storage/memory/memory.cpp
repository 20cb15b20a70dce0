// SPDX-License-Identifier: MIT
#include "storage/memory/memory.hpp"

#include <algorithm>

#include "storage/errors.hpp"

namespace vbo {

struct MemoryStorage::State {
  std::optional<StudyRecord> study;
  std::map<TrialId, Trial> trials;
  std::optional<Snapshot> snapshot;
  std::vector<RoundReport> reports;
  std::int64_t writes = 0;
  std::int64_t until_failure = -1;  // writes that still succeed; -1 = no failure planned
  Error failure;
};

MemoryStorage::MemoryStorage() : state_(std::make_shared<State>()) {}

void MemoryStorage::fail_from_write(std::int64_t n, Error error) {
  state_->until_failure = n - 1;
  state_->failure = std::move(error);
}

void MemoryStorage::repair() { state_->until_failure = -1; }

std::int64_t MemoryStorage::writes() const { return state_->writes; }

Result<void> MemoryStorage::begin_write() {
  if (state_->until_failure == 0) return state_->failure;
  if (state_->until_failure > 0) --state_->until_failure;
  ++state_->writes;
  return {};
}

Result<std::optional<StudyRecord>> MemoryStorage::load_study() { return state_->study; }

Result<void> MemoryStorage::create_study(const StudyRecord& record) {
  if (state_->study) return storage_error::study_exists();
  if (const auto ready = begin_write(); !ready) return ready.error();
  state_->study = record;
  return {};
}

Result<void> MemoryStorage::update_study(std::int64_t budget, const std::string& evaluate_json) {
  if (!state_->study) return storage_error::no_study();
  if (const auto ready = begin_write(); !ready) return ready.error();
  state_->study->budget = budget;
  state_->study->evaluate_json = evaluate_json;
  return {};
}

Result<void> MemoryStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report) {
  if (!state_->study) return storage_error::no_study();
  for (const Trial& trial : trials) {
    if (state_->trials.contains(trial.id)) return storage_error::id_used(trial.id);
  }
  if (const auto ready = begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) state_->trials[trial.id] = trial;
  if (report && !trials.empty()) state_->reports.push_back({trials.front().asked_in, *report});
  return {};
}

Result<void> MemoryStorage::set_running(TrialId id, int attempts) {
  const auto it = state_->trials.find(id);
  if (it == state_->trials.end()) return storage_error::no_trial(id);
  if (it->second.told_in != 0) return storage_error::already_ended(id);
  if (const auto ready = begin_write(); !ready) return ready.error();
  it->second.state = TrialState::running;
  it->second.attempts = attempts;
  return {};
}

Result<std::int64_t> MemoryStorage::requeue_running() {
  if (const auto ready = begin_write(); !ready) return ready.error();
  std::int64_t count = 0;
  for (auto& [id, trial] : state_->trials) {
    if (trial.state != TrialState::running) continue;
    trial.state = TrialState::waiting;
    ++count;
  }
  return count;
}

Result<void> MemoryStorage::finish_trials(std::span<const Trial> trials) {
  for (const Trial& trial : trials) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end()) return storage_error::no_trial(trial.id);
    if (it->second.told_in != 0) return storage_error::already_ended(trial.id);
  }
  if (const auto ready = begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) {
    Trial& stored = state_->trials[trial.id];
    stored.state = trial.state;
    stored.value = trial.value;
    stored.failure = trial.failure;
    stored.seconds = trial.seconds;
    stored.attempts = trial.attempts;
    stored.stderr_tail = trial.stderr_tail;
    stored.told_in = trial.told_in;
  }
  return {};
}

Result<void> MemoryStorage::save_snapshot(const Snapshot& snapshot) {
  if (const auto ready = begin_write(); !ready) return ready.error();
  state_->snapshot = snapshot;
  return {};
}

Result<std::optional<Snapshot>> MemoryStorage::load_snapshot() { return state_->snapshot; }

Result<std::optional<Trial>> MemoryStorage::load_trial(TrialId id) {
  const auto it = state_->trials.find(id);
  if (it == state_->trials.end()) return std::optional<Trial>();
  return std::optional<Trial>(it->second);
}

Result<std::vector<Trial>> MemoryStorage::load_trials(TrialId first, std::int64_t limit) {
  std::vector<Trial> trials;
  for (auto it = state_->trials.lower_bound(first); it != state_->trials.end(); ++it) {
    if (limit >= 0 && std::ssize(trials) >= limit) break;
    trials.push_back(it->second);
  }
  return trials;
}

Result<std::vector<Trial>> MemoryStorage::load_history() {
  std::vector<Trial> trials;
  trials.reserve(state_->trials.size());
  for (const auto& [id, trial] : state_->trials) {
    trials.push_back(trial);
    trials.back().stderr_tail.clear();
  }
  return trials;
}

Result<std::optional<Trial>> MemoryStorage::best_trial(Goal goal) {
  const Trial* best = nullptr;
  for (const auto& [id, trial] : state_->trials) {
    if (!trial.value) continue;
    const bool better = best && (goal == Goal::minimize ? *trial.value < *best->value
                                                        : *trial.value > *best->value);
    if (!best || better) best = &trial;
  }
  return best ? std::optional<Trial>(*best) : std::nullopt;
}

Result<TrialCounts> MemoryStorage::counts() {
  TrialCounts counts;
  for (const auto& [id, trial] : state_->trials) {
    switch (trial.state) {
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
  const auto& all = state_->reports;
  const auto size = std::ssize(all);
  const auto skip = last < 0 ? 0 : std::max<std::ptrdiff_t>(0, size - last);
  return std::vector<RoundReport>(all.begin() + skip, all.end());
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Reading, and what the coordinator writes; queue.cpp has what workers and people write.
#include <algorithm>

#include "core/order.hpp"
#include "storage/errors.hpp"
#include "storage/memory/state.hpp"
#include "storage/result_of_trial.hpp"

namespace vbo {

MemoryStorage::MemoryStorage() : state_(std::make_shared<State>()) {}
MemoryStorage::MemoryStorage(const MemoryStorage& other)
    : MemoryStorage(other.state_, other.access_) {}
MemoryStorage::MemoryStorage(std::shared_ptr<State> state, Access access)
    : state_(std::move(state)), access_(access) {}

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
  state_->clock = clock;
  state_->lease_clock = std::move(clock);
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

Result<void> MemoryStorage::change_settings(const StudyRecord& record) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->study->space = record.space;
  state_->study->optimizer = record.optimizer;
  state_->study->changes = record.changes;
  return {};
}

Result<void> MemoryStorage::add_trials(std::span<const Trial> trials,
                                       const std::optional<AskReport>& report, std::int64_t request,
                                       Durability) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  for (const Trial& trial : trials) {
    if (state_->trials.contains(trial.id)) return storage_error::id_used(trial.id);
  }
  const auto asked = state_->requests.find(request);
  if (request != 0 && (asked == state_->requests.end() || asked->second.answered)) {
    return storage_error::no_request(request);
  }
  if (const auto ready = state_->begin_write(Audience::workers); !ready) return ready.error();
  for (const Trial& trial : trials) {
    MemoryEntry& entry = state_->trials[trial.id];
    entry.trial = trial;
    entry.trial.asked_at = state_->clock();
    entry.request = request;
    entry.offered = request == 0 && trial.told_in == 0;  // not what ended elsewhere
    if (entry.offered) state_->offered.insert(trial.id);
  }
  if (request != 0) {
    std::int64_t& count = asked->second.ask.count;
    count = std::max<std::int64_t>(0, count - std::ssize(trials));
    asked->second.answered = count == 0;
    asked->second.ask.delivery.reset();
  }
  if (report && !trials.empty()) state_->reports.push_back({trials.front().asked_in, *report});
  return {};
}

Result<void> MemoryStorage::finish_trials(std::span<const Trial> trials, Durability) {
  const std::scoped_lock lock(state_->mutex);
  for (const Trial& trial : trials) {
    const auto it = state_->trials.find(trial.id);
    if (it == state_->trials.end()) return storage_error::no_trial(trial.id);
    if (!is_open(it->second.trial)) return storage_error::already_ended(trial.id);
  }
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const Trial& trial : trials) {
    MemoryEntry& entry = state_->trials[trial.id];
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
    if (is_open(it->second.trial) || it->second.trial.told_in != 0 ||
        !same_result(it->second.trial, trial)) {
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

Result<void> MemoryStorage::save_snapshot(const Snapshot& snapshot) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  state_->snapshot = snapshot;
  return {};
}

Result<void> MemoryStorage::set_ended(bool ended) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->ended == ended) return {};
  if (const auto ready = state_->begin_write(Audience::workers); !ready) return ready.error();
  state_->ended = ended;
  return {};
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
  const Order order({{.goal = goal}}, {});
  const Trial* best = nullptr;
  for (const auto& [id, entry] : state_->trials) {
    const Trial& trial = entry.trial;
    if (trial.state != TrialState::completed) continue;
    if (!best || order.better(trial.values.front(), best->values.front())) best = &trial;
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
      case TrialState::stopped:
        ++counts.stopped;
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
  if (!subscription_) {
    subscription_ =
        std::make_unique<Notifier::Subscription>(state_->notifier, audience_of(access_));
    return true;  // whatever was announced before
  }
  return subscription_->wait(at_most);
}

Result<std::unique_ptr<Storage>> MemoryStorage::connect(Access access) {
  return std::unique_ptr<Storage>(new MemoryStorage(state_, access));
}

}  // namespace vbo

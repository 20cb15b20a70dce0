// SPDX-License-Identifier: MIT
// Revisions, and the few things beside trials that a study keeps.
#include <algorithm>

#include "storage/errors.hpp"
#include "storage/memory/state.hpp"
#include "storage/result_of_trial.hpp"

namespace vbo {
namespace {

Revision revision_of(const Trial& trial, RevisionKind kind, const std::string& reason, double now) {
  Revision revision{.kind = kind, .reason = reason, .before = trial, .made_at = now};
  revision.before.stderr_tail.clear();
  return revision;
}

}  // namespace

Result<void> MemoryStorage::replace(const Trial& ended, const std::string& reason) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->trials.find(ended.id);
  if (it == state_->trials.end()) return storage_error::no_trial(ended.id);
  Trial& stored = it->second.trial;
  if (is_open(stored)) return storage_error::still_open(stored);
  if (same_result(stored, ended)) return {};
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  state_->add_revision(revision_of(stored, RevisionKind::replaced, reason, state_->clock()));
  stored = with_result_of(std::move(stored), ended);
  return {};
}

Result<void> MemoryStorage::drop(std::span<const TrialId> ids, const std::string& reason) {
  const std::scoped_lock lock(state_->mutex);
  for (const TrialId id : ids) {
    const auto it = state_->trials.find(id);
    if (it == state_->trials.end()) return storage_error::no_trial(id);
    if (it->second.trial.state != TrialState::waiting) {
      return storage_error::not_waiting(it->second.trial);
    }
    const auto retried = [&](const Revision& r) {
      return r.before.id == id && r.kind == RevisionKind::retried;
    };
    if (std::ranges::any_of(state_->revisions, retried)) return storage_error::is_retry(id);
  }
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  for (const TrialId id : ids) {
    const auto it = state_->trials.find(id);
    if (it == state_->trials.end()) continue;  // named twice
    state_->add_revision(
        revision_of(it->second.trial, RevisionKind::dropped, reason, state_->clock()));
    state_->offered.erase(id);
    state_->trials.erase(it);
  }
  return {};
}

Result<void> MemoryStorage::retry(std::span<const TrialId> ids, const std::string& reason) {
  const std::scoped_lock lock(state_->mutex);
  for (const TrialId id : ids) {
    const auto it = state_->trials.find(id);
    if (it == state_->trials.end()) return storage_error::no_trial(id);
    if (it->second.trial.state != TrialState::failed) {
      return storage_error::not_failed(it->second.trial);
    }
  }
  if (const auto ready = state_->begin_write(Audience::everybody); !ready) return ready.error();
  for (const TrialId id : ids) {
    MemoryEntry& entry = state_->trials[id];
    if (is_open(entry.trial)) continue;  // named twice
    state_->add_revision(revision_of(entry.trial, RevisionKind::retried, reason, state_->clock()));
    Trial& trial = entry.trial;
    trial.failure.reset();
    trial.told_in = 0;
    trial.finished_at = 0.0;
    trial.stderr_tail.clear();
    if (trial.suggested) trial.point = *std::exchange(trial.suggested, std::nullopt);
    entry.losses = 0;
    entry.offered = true;
    std::erase(state_->untold, id);
    state_->set_waiting(entry);
  }
  return {};
}

Result<std::vector<Revision>> MemoryStorage::load_revisions(bool unapplied_only) {
  const std::scoped_lock lock(state_->mutex);
  std::vector<Revision> found;
  for (const Revision& revision : state_->revisions) {
    if (!unapplied_only || revision.event == 0) found.push_back(revision);
  }
  return found;
}

Result<void> MemoryStorage::apply_revisions(std::span<const std::int64_t> ids, EventId event) {
  const std::scoped_lock lock(state_->mutex);
  for (const std::int64_t id : ids) {
    if (id < 1 || id > std::ssize(state_->revisions)) return storage_error::no_revision(id);
  }
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  for (const std::int64_t id : ids) {
    state_->revisions[static_cast<std::size_t>(id - 1)].event = event;
  }
  return {};
}

Result<void> MemoryStorage::set_start(const std::vector<PartialPoint>& start,
                                      std::int64_t request) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  const auto asked = state_->requests.find(request);
  if (request != 0 && asked == state_->requests.end()) return storage_error::no_request(request);
  if (const auto ready = state_->begin_write(Audience::workers); !ready) return ready.error();
  state_->study->start = start;
  if (request != 0) {
    asked->second.answered = true;
    asked->second.ask.delivery.reset();
  }
  return {};
}

Result<double> MemoryStorage::spend(double seconds) {
  const std::scoped_lock lock(state_->mutex);
  if (const auto ready = state_->begin_write(); !ready) return ready.error();
  return state_->spent += seconds;
}

Result<std::int64_t> MemoryStorage::bring(const Delivery& delivery, const std::string& who) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->study) return storage_error::no_study();
  if (const auto ready = state_->begin_write(Audience::coordinator); !ready) return ready.error();
  const std::int64_t id = ++state_->last_request;
  state_->requests[id].ask = {id, 0, who, delivery};
  return id;
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
// Keeps the report fresh and tells followers; what is asked is answered in service_requests.cpp.
#include "web/service.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "core/one_line.hpp"
#include "report/json.hpp"
#include "web/payload.hpp"

namespace vbo::web {
namespace {

using std::chrono::steady_clock;

constexpr auto kLookEvery = std::chrono::milliseconds(250);
constexpr std::size_t kMostOpen = 2000;  // open trials read one by one; more: read everything
constexpr auto kReloadEvery = std::chrono::seconds(30);  // finds corrections of old results
constexpr int kFailuresToTell = 4;                       // in a row
constexpr auto kLongestLook = std::chrono::seconds(2);
// Of an event; with a larger change followers are told to read everything again, which is one text
// for all of them.
constexpr std::size_t kLargestChange = std::size_t{256} << 10;
constexpr int kRest = 4;  // importance may take a fifth of one processor

std::string random_name() {
  std::random_device device;
  return std::to_string(device()) + "-" + std::to_string(device());
}

// Nothing more happens to it: it has ended, and its end was told to the method.
bool settled(const Trial& trial) {
  const bool ended = trial.state == TrialState::completed || trial.state == TrialState::failed;
  return ended && trial.told_in > 0;
}

// What followers would notice.
bool differs(const Trial& a, const Trial& b) {
  return a.state != b.state || a.values != b.values || a.failure != b.failure ||
         a.told_in != b.told_in || a.attempts != b.attempts || a.worker != b.worker ||
         a.started_at != b.started_at || a.metrics != b.metrics;
}

}  // namespace

StudyService::StudyService(std::string url, std::function<Result<std::unique_ptr<Storage>>()> open,
                           Ledger ledger, StudyWriter writer)
    : url_(std::move(url)),
      open_(std::move(open)),
      ledger_(std::move(ledger)),
      writer_(std::move(writer)),
      instance_(random_name()),
      queue_(std::make_unique<WorkQueue>()) {}

StudyService::~StudyService() = default;

Result<void> StudyService::load() {
  const Result<bool> done = reload();
  if (!done) return done.error();
  const std::lock_guard lock(mutex_);
  estimate_ = estimate(report_.record, report_.trials);
  add_estimate(report_, estimate_);
  return {};
}

Result<bool> StudyService::reload() {
  if (!storage_) {
    Result<std::unique_ptr<Storage>> opened = open_();
    if (!opened) return opened.error();
    storage_ = std::move(*opened);
  }
  Result<StudyReport> fresh = make_report(*storage_);
  if (!fresh) return fresh.error();
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < fresh->trials.size(); ++i) {
    if (i >= report_.trials.size() || differs(report_.trials[i], fresh->trials[i])) {
      changed.push_back(i);
    }
  }
  report_ = std::move(*fresh);
  add_estimate(report_, estimate_);
  report_changed();
  open_ids_.clear();
  for (const Trial& trial : report_.trials) {
    if (!settled(trial)) open_ids_.insert(trial.id);
  }
  if (changed.empty() && version_ > 0) return false;
  changed_.insert(changed_.end(), changed.begin(), changed.end());
  ++version_;
  return true;
}

// Only what can have changed is read: open trials one by one, and trials after the last.
Result<bool> StudyService::refresh() {
  const Result<TrialCounts> counts = storage_->counts();
  if (!counts) return counts.error();
  const TrialCounts& before = report_.counts;
  if (counts->completed == before.completed && counts->failed == before.failed &&
      counts->running == before.running && counts->waiting == before.waiting &&
      static_cast<std::int64_t>(open_ids_.size()) == before.running + before.waiting) {
    return false;
  }
  const bool shrunk = counts->completed + counts->failed < before.completed + before.failed;
  if (open_ids_.size() > kMostOpen || shrunk || report_.trials.empty()) return reload();
  std::vector<Trial> fresh;
  for (const TrialId id : open_ids_) {
    Result<std::optional<Trial>> trial = storage_->load_trial(id);
    if (!trial) return trial.error();
    if (!*trial) return reload();
    (*trial)->stderr_tail.clear();
    fresh.push_back(std::move(**trial));
  }
  Result<std::vector<Trial>> added = storage_->load_trials(report_.trials.back().id + 1);
  if (!added) return added.error();
  const Result<std::vector<RoundReport>> rounds = storage_->load_reports();
  if (!rounds) return rounds.error();
  Result<std::optional<StudyRecord>> record = storage_->load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, "the study is gone"};

  const std::lock_guard lock(mutex_);
  std::vector<Trial> trials = std::move(report_.trials);
  for (Trial& trial : fresh) {
    const auto it = std::lower_bound(trials.begin(), trials.end(), trial.id,
                                     [](const Trial& t, TrialId id) { return t.id < id; });
    if (!differs(*it, trial)) continue;
    changed_.push_back(static_cast<std::size_t>(it - trials.begin()));
    if (settled(trial)) open_ids_.erase(trial.id);
    *it = std::move(trial);
  }
  for (Trial& trial : *added) {
    changed_.push_back(trials.size());
    if (!settled(trial)) open_ids_.insert(trial.id);
    trial.stderr_tail.clear();
    trials.push_back(std::move(trial));
  }
  report_ = make_report(std::move(**record), std::move(trials), *rounds);
  add_last_lines(report_, *storage_);
  add_estimate(report_, estimate_);
  report_changed();
  if (changed_.empty()) return false;
  ++version_;
  return true;
}

void StudyService::report_changed() {
  page_.reset();
  front_.reset();
  pieces_.clear();
}

std::string StudyService::greeting() const {
  const std::lock_guard lock(mutex_);
  return dump(Json{{"instance", instance_},
                   {"version", version_},
                   {"writable", static_cast<bool>(writer_.tell)}});
}

void StudyService::publish_changes(const Publish& publish) {
  std::string data;
  {
    const std::lock_guard lock(mutex_);
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    PayloadParts parts;
    parts.url = shown_storage(url_);
    parts.places = true;  // whoever may look at it works with these machines
    parts.ledger = &ledger_;
    Json change = {{"instance", instance_}, {"version", version_}};
    std::string payload = base64(payload_of(report_, changed_, parts));
    if (payload.size() <= kLargestChange) change["payload"] = std::move(payload);
    data = dump(change);
    changed_.clear();
  }
  publish("change", data);
}

void StudyService::refresh_importance(const Publish& publish) {
  std::vector<Trial> trials;
  StudyRecord record;
  {
    const std::lock_guard lock(mutex_);
    record = report_.record;
    trials = report_.trials;
    importance_results_ = report_.counts.completed;
  }
  std::vector<Importance> fresh = importances(record, trials, {.threads = 1});
  Estimate estimated = estimate(record, trials);
  std::string data;
  {
    const std::lock_guard lock(mutex_);
    importances_ = std::move(fresh);
    estimate_ = std::move(estimated);
    add_estimate(report_, estimate_);
    report_changed();
    Json message = importance_json(importances_);
    const Json status = status_json(report_, url_);
    for (const char* key : {"best", "luckiest", "recommendation", "noise", "state", "next_batch"})
      message[key] = status[key];
    data = dump(message);
  }
  if (publish) publish("importance", data);
}

bool StudyService::importance_is_old() const {
  const std::lock_guard lock(mutex_);
  // Empty while the first is being computed.
  return importances_.empty() || importance_results_ != report_.counts.completed;
}

// Until the next look, or until somebody has written something through us.
void StudyService::rest(steady_clock::duration time, const std::atomic<bool>& stop) {
  const auto end = steady_clock::now() + time;
  std::unique_lock lock(mutex_);
  ++looks_;
  looked_.notify_all();
  while (!stop && !hurry_ && steady_clock::now() < end) {
    looked_.wait_until(lock, std::min(end, steady_clock::now() + std::chrono::milliseconds(50)));
  }
  hurry_ = false;
}

// So that who has told something finds it when he asks: returns when the study has been looked at
// again, from begin to end.
void StudyService::look_again() const {
  std::unique_lock lock(mutex_);
  if (!watching_) return;
  const std::int64_t enough = looks_ + 2;  // the look under way may have begun too early
  const auto end = steady_clock::now() + kLongestLook;
  while (looks_ < enough && steady_clock::now() < end) {
    hurry_ = true;
    looked_.notify_all();
    looked_.wait_for(lock, std::chrono::milliseconds(20));
  }
}

void StudyService::tell_problem(const Publish& publish, const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    if (problem_ == problem) return;
    problem_ = problem;
  }
  publish("problem", dump(Json{{"error", problem.empty() ? Json() : Json(problem)}}));
}

void StudyService::watch(const Publish& publish, const std::atomic<bool>& stop) {
  {
    const std::lock_guard lock(mutex_);
    watching_ = true;
  }
  auto last_reload = steady_clock::now();
  auto next_importance = steady_clock::now();
  int failures = 0;  // in a row
  while (!stop) {
    const auto begin = steady_clock::now();
    const bool whole = !storage_ || begin - last_reload > kReloadEvery;
    const Result<bool> changed = whole ? reload() : refresh();
    if (whole) last_reload = begin;
    if (changed) {
      failures = 0;
      tell_problem(publish, "");
      if (*changed) publish_changes(publish);
      if (steady_clock::now() >= next_importance && importance_is_old()) {
        const auto start = steady_clock::now();
        refresh_importance(publish);
        next_importance = steady_clock::now() + kRest * (steady_clock::now() - start) + kLookEvery;
      }
    } else {
      // A file that is being replaced, a server that restarts: look again, and say so if it lasts.
      storage_.reset();
      if (++failures >= kFailuresToTell) tell_problem(publish, one_line(changed.error().message));
    }
    // Looking may take a third of the time, not more.
    rest(std::max<steady_clock::duration>(kLookEvery, 2 * (steady_clock::now() - begin)), stop);
  }
  const std::lock_guard lock(mutex_);
  watching_ = false;
}

}  // namespace vbo::web

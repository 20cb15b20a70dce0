// SPDX-License-Identifier: MIT
// One thread claims, submits, collects, stores and keeps the leases; nothing in it blocks for
// longer than a fraction of a second, so that a second thread for the leases would be one more
// connection and nothing else.
#include "vbo/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "core/elapsed.hpp"

namespace vbo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWorkerLooksAround{100};
// The same for trials while something runs, where the executor cannot watch the storage as well.
constexpr std::chrono::milliseconds kBetweenLooks{10};
// Without news nobody asks the storage more often than this; thousands of idle workers must not
// keep a server busy.
constexpr double kPollSeconds = 20.0;
constexpr double kShortestBackoff = 0.05;  // seconds; doubles up to the longest
constexpr double kLongestBackoff = 5.0;
constexpr std::chrono::seconds kAskForLost{2};
constexpr std::chrono::milliseconds kBetweenConfirmations{1};
constexpr std::size_t kMostUnconfirmed = 1000;  // more than end in the time of a sync
constexpr double kRenewals = 4.0;               // within a lease, while something runs
constexpr double kSignsOfLife = 2.0;            // within the time in which a worker counts as alive

class Worker {
 public:
  Worker(Storage& storage, Executor& executor, const WorkOptions& options)
      : storage_(storage), executor_(executor), options_(options) {
    me_.host = this_host();
    me_.name = options.name.empty() ? me_.host + ":" + std::to_string(getpid()) : options.name;
    me_.process = process_.text();
  }

  Result<WorkEnd> run() {
    Result<WorkEnd> end = loop();
    if (!end) executor_.cancel();
    (void)storage_.leave(me_);
    return end;
  }

 private:
  Result<WorkEnd> loop() {
    for (;;) {
      if (interrupts() >= 2) return give_back();
      collect();
      if (!may_try()) {
        // The storage is away: go on with what runs.
        if (executor_.running() > 0) {
          gather(executor_.wait(kWorkerLooksAround));
        } else {
          std::this_thread::sleep_for(kWorkerLooksAround);
        }
        continue;
      }
      const Result<std::optional<WorkEnd>> turn = take_turn();
      if (turn) {
        relieved();
        if (*turn) return **turn;
      } else if (!bear(turn.error())) {
        return turn.error();
      }
    }
  }

  // Keeps the leases, stores what has ended, claims, waits. A result of none means: go on.
  Result<std::optional<WorkEnd>> take_turn() {
    using Turn = std::optional<WorkEnd>;
    if (const auto kept = keep_leases(); !kept) return kept.error();
    if (const auto returned = give_back_returned(); !returned) return returned.error();
    const bool stopping = interrupts() >= 1;
    const bool looks = !stopping && (news_ || seconds_since(claimed_) >= kPollSeconds);
    if (looks || !results_.empty()) {
      if (const auto done = exchange(stopping ? 0 : free()); !done) return done.error();
    }
    if (const auto confirmed = confirm(); !confirmed) return confirmed.error();
    if (executor_.running() > 0) {
      const auto waited = wait_for_outcomes(!stopping);
      return waited ? Turn() : Result<Turn>(waited.error());
    }
    if (!results_.empty() || !returned_.empty()) return Turn();
    if (stopping) return leave_as(WorkEnd::interrupted);
    if (looks) {
      const auto queue = storage_.queue_state();
      if (!queue) return queue.error();
      if (options_.leaves_at_end && queue->ended && queue->offered == 0) {
        return leave_as(WorkEnd::study_ended);
      }
    }
    if (options_.idle_seconds > 0.0 && seconds_since(busy_) >= options_.idle_seconds) {
      return leave_as(WorkEnd::idle);
    }
    return wait_for_news();
  }

  Result<std::optional<WorkEnd>> leave_as(WorkEnd end) {
    if (const auto confirmed = confirm(/*all=*/true); !confirmed) return confirmed.error();
    return std::optional(end);
  }

  // And for trials, where others could be evaluated meanwhile.
  Result<void> wait_for_outcomes(bool may_claim) {
    int news = -1;
    auto at_most = looks_around();
    if (may_claim && executor_.running() < executor_.capacity()) {
      const auto waited = storage_.wait(std::chrono::milliseconds(0));
      if (!waited) return waited.error();
      news_ = news_ || *waited;
      if (news_) return {};
      news = storage_.wait_fd();
      at_most = std::min(at_most, kBetweenLooks);
    }
    if (executor_.watch(news) && news >= 0) at_most = looks_around();
    gather(executor_.wait(at_most));
    return {};
  }

  Result<std::optional<WorkEnd>> wait_for_news() {
    while (!news_ && interrupts() == 0 && seconds_since(claimed_) < kPollSeconds &&
           !renewal_is_due()) {
      const auto waited = storage_.wait(looks_around());
      if (!waited) return waited.error();
      news_ = *waited;
      if (!unconfirmed_.empty()) break;
      if (options_.idle_seconds > 0.0 && seconds_since(busy_) >= options_.idle_seconds) break;
    }
    return std::optional<WorkEnd>();
  }

  std::chrono::milliseconds looks_around() const {
    return unconfirmed_.empty() ? kWorkerLooksAround : kBetweenConfirmations;
  }
  std::int64_t free() const {
    return static_cast<std::int64_t>(executor_.capacity()) -
           static_cast<std::int64_t>(executor_.running());
  }
  int interrupts() const { return options_.interrupts ? options_.interrupts->load() : 0; }

  void collect() {
    if (executor_.running() > 0) gather(executor_.wait(std::chrono::milliseconds(0)));
  }
  void gather(std::vector<Outcome> outcomes) {
    const auto now = Clock::now();
    for (Outcome& outcome : outcomes) {
      const auto claim = claims_.find(outcome.id);
      if (claim == claims_.end()) continue;
      if (interrupts() >= 1 && outcome.failure && !is_believed(*outcome.failure)) {
        returned_.push_back(claim->second.token);
        claims_.erase(claim);
        continue;
      }
      const int retries = std::max(outcome.attempts, 1) - 1;  // the claim counted the first
      Trial ended = ended_by(claim->second.trial, std::move(outcome), limits_, objectives_);
      ended.attempts += retries;
      ended.worker = me_.name;
      results_.push_back({std::move(ended), claim->second.token, now});
    }
  }

  // Who tells us to stop often tells our evaluators as well. What ends in a bad way after that is
  // evaluated again by somebody else, unless the failure is that of the input itself.
  static bool is_believed(const Failure& failure) {
    return failure.cause != FailureCause::crash && failure.cause != FailureCause::no_program &&
           failure.cause != FailureCause::lost && failure.cause != FailureCause::no_value;
  }

  Result<void> give_back_returned() {
    if (returned_.empty()) return {};
    if (const auto returned = storage_.give_back(returned_); !returned) return returned.error();
    returned_.clear();
    return {};
  }

  // Stores what has ended, and starts at most so many others.
  Result<void> exchange(std::int64_t most) {
    if (results_.empty() && most <= 0) return {};
    if (Clock::now() - looked_ > kAskForLost && most > 0) {
      looked_ = Clock::now();
      if (const auto returned = storage_.return_lost(); !returned) return returned.error();
    }
    if (const auto known = know_study(); !known) return known.error();
    const bool asked = !results_.empty() || news_;
    std::int64_t started = 0;
    const auto start = [&](Claim claim) {
      ++started;
      busy_ = Clock::now();
      if (options_.on_started) options_.on_started(claim.trial);
      executor_.submit(job_of(claim.trial, seed_));
      claims_[claim.trial.id] = std::move(claim);
    };
    const auto completed = storage_.exchange(results_, me_, most, options_.lease_seconds, start);
    if (started > 0 && !asked && options_.unannounced) {
      const auto announced = storage_.wait(std::chrono::milliseconds(0));  // at this very moment
      if (announced && !*announced) ++*options_.unannounced;
    }
    if (!completed) return completed.error();
    if (!results_.empty()) take_note(*completed);
    if (most > 0) {
      claimed_ = Clock::now();
      news_ = started == most;  // there may be more
    }
    return {};
  }

  // Of results that are stored; each is reported once it would survive a power failure.
  void take_note(const std::vector<Completion>& completed) {
    busy_ = Clock::now();
    ++writes_;
    me_.completed += std::ssize(results_) - std::ranges::count(completed, Completion::unknown);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      claims_.erase(results_[i].trial.id);
      unconfirmed_.push_back({writes_, std::move(results_[i].trial), completed[i]});
    }
    results_.clear();
  }
  Result<void> confirm(bool all = false) {
    if (unconfirmed_.empty()) return {};
    const bool many = unconfirmed_.size() > kMostUnconfirmed;
    const auto durable = storage_.durable(all    ? writes_
                                          : many ? unconfirmed_.front().write
                                                 : std::int64_t{0});
    if (!durable) return durable.error();
    for (; !unconfirmed_.empty() && unconfirmed_.front().write <= *durable;
         unconfirmed_.pop_front()) {
      const Stored& stored = unconfirmed_.front();
      if (options_.on_finished) options_.on_finished(stored.trial, stored.completion);
    }
    return {};
  }

  // Of the leases, or just of our being there.
  bool renewal_is_due() const {
    if (!known_) return true;
    const double alive = kLeaseSeconds / kSignsOfLife;
    const double after =
        claims_.empty() ? alive : std::min(options_.lease_seconds / kRenewals, alive);
    return seconds_since(kept_) >= after;
  }
  Result<void> keep_leases() {
    if (!renewal_is_due()) return {};
    me_.slots = static_cast<std::int64_t>(executor_.capacity());
    std::vector<std::int64_t> tokens;
    for (const auto& [id, claim] : claims_) tokens.push_back(claim.token);
    const auto renewed = storage_.renew(me_, tokens, options_.lease_seconds);
    if (!renewed) return renewed.error();
    // A claim that is no longer ours goes on: its result counts if it is the first.
    known_ = true;
    kept_ = Clock::now();
    return {};
  }

  Result<void> know_study() {
    if (study_known_) return {};
    const auto study = storage_.load_study();
    if (!study) return study.error();
    if (*study) {
      limits_.assign((*study)->space.limits().begin(), (*study)->space.limits().end());
      objectives_ = (*study)->objectives.size();
      seed_ = (*study)->optimizer.seed;
    }
    study_known_ = true;
    return {};
  }

  Result<WorkEnd> give_back() {
    executor_.cancel();
    Result<void> stored = give_back_returned();
    if (stored) stored = exchange(0);
    if (stored) stored = confirm(/*all=*/true);
    std::vector<std::int64_t> tokens;
    for (const auto& [id, claim] : claims_) tokens.push_back(claim.token);
    claims_.clear();
    // When the storage is away the leases end by themselves.
    if (!tokens.empty()) (void)storage_.give_back(tokens);
    return stored ? Result<WorkEnd>(WorkEnd::interrupted) : stored.error();
  }

  // Trouble that may pass: the server restarts, the network is away, others write.
  bool bear(const Error& error) {
    const bool may_pass = error.kind == ErrorKind::io || error.kind == ErrorKind::busy;
    if (!may_pass || options_.patience_seconds <= 0.0) return false;
    if (backoff_ == 0.0) {
      disconnected_since_ = Clock::now();
      if (options_.on_disconnect) options_.on_disconnect(error);
    }
    if (seconds_since(disconnected_since_) > options_.patience_seconds) return false;
    backoff_ = std::clamp(2 * backoff_, kShortestBackoff, kLongestBackoff);
    next_try_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(backoff_));
    return true;
  }
  void relieved() {
    if (backoff_ == 0.0) return;
    if (options_.on_reconnect) options_.on_reconnect();
    backoff_ = 0.0;
    news_ = true;  // notifications meanwhile may have been missed
  }
  bool may_try() const { return backoff_ == 0.0 || Clock::now() >= next_try_; }

  Storage& storage_;
  Executor& executor_;
  const WorkOptions& options_;
  const ProcessName process_;
  WorkerInfo me_;
  struct Stored {  // and perhaps not yet on the disk
    std::int64_t write = 0;
    Trial trial;
    Completion completion{};
  };
  std::map<TrialId, Claim> claims_;  // what the executor runs, and what has ended but is not stored
  std::vector<Claim> results_;       // ended, with their tokens
  std::vector<std::int64_t> returned_;  // tokens of what others should evaluate again
  std::vector<Limit> limits_;           // what metrics the study needs
  std::size_t objectives_ = 1;
  std::uint64_t seed_ = 0;  // of the study
  bool study_known_ = false;
  bool known_ = false;       // the storage has a row for this worker
  bool news_ = true;         // there may be something to claim
  std::int64_t writes_ = 0;  // of results
  std::deque<Stored> unconfirmed_;
  Clock::time_point kept_{}, looked_{}, claimed_{}, busy_ = Clock::now();
  double backoff_ = 0.0;  // seconds; 0 = no trouble
  Clock::time_point disconnected_since_{}, next_try_{};
};

}  // namespace

Result<WorkEnd> work(Storage& storage, Executor& executor, const WorkOptions& options) {
  return Worker(storage, executor, options).run();
}

}  // namespace vbo

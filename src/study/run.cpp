// SPDX-License-Identifier: MIT
// Study::run and Study::coordinate: keep every worker busy until there is a reason to stop.
#include <algorithm>
#include <thread>

#include "core/order.hpp"
#include "storage/best.hpp"
#include "study/ask_ahead.hpp"
#include "study/impl.hpp"
#include "study/stop_rule.hpp"

namespace vbo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAround{100};  // how soon an interrupt is noticed
constexpr std::chrono::seconds kLookForLost{1};
constexpr double kAnswering = 0.05;  // seconds of a turn, and what one piece takes beyond

// Why and when a run ends, whoever evaluates.
class EndRule {
 public:
  EndRule(Study::Impl& study, const RunOptions& options)
      : study_(study),
        options_(options),
        order_(study.record.objectives, study.record.space.limits()),
        is_first_run_(study.ended == 0) {}

  int interrupts() const { return options_.interrupts ? options_.interrupts->load() : 0; }
  const std::optional<RunEnd>& end() const { return end_; }  // set: start nothing new
  void set(RunEnd end) {
    if (!end_) end_ = end;
  }
  void look() {
    if (interrupts() >= 1) set(RunEnd::interrupted);
    if (study_.ended >= study_.record.budget) set(RunEnd::budget_spent);
    const double here = seconds();
    const bool long_enough = options_.stop.run_seconds > 0.0 && here >= options_.stop.run_seconds;
    if (long_enough || is_out_of_time()) set(RunEnd::time_over);
  }
  // The time of the study over all its runs, as far as this one has stored it.
  bool is_out_of_time() const {
    return options_.stop.seconds > 0.0 && spent_ + seconds() - stored_ >= options_.stop.seconds;
  }
  // Stores how long it has been, now and then; `at_end` also the last bit.
  Result<void> keep_time(bool at_end = false) {
    const double here = seconds();
    const bool counts = options_.stop.seconds > 0.0;
    const bool first = counts && stored_ == 0.0;  // how much there was before
    const double bit = at_end && !counts ? kWorthStoring : at_end ? 0.0 : kBetweenStoring;
    if (!first && here - stored_ <= bit) return {};
    const Result<double> spent = study_.storage->spend(here - stored_);
    if (!spent) return spent.error();
    spent_ = *spent;
    stored_ = here;
    return {};
  }
  // Whether a result is good enough, after `fresh` results; asked of the storage, which knows what
  // counts as one, but only where one of them, or something else that arrived, may be: with
  // limits the storage has to look at all results.
  Result<void> check_value(std::span<const Trial> fresh) {
    if (!options_.stop.value || end_) return {};
    const bool may_be = checked_news_ != study_.other_news ||
                        std::ranges::any_of(fresh, [&](const Trial& t) { return is_enough(t); });
    checked_news_ = study_.other_news;
    return may_be ? check_value() : Result<void>();
  }
  Result<void> check_value() {
    if (!options_.stop.value || end_) return {};
    const Result<std::optional<Trial>> best = best_result(*study_.storage, study_.record);
    if (!best) return best.error();
    if (*best && is_enough(**best)) set(RunEnd::good_enough);
    return {};
  }
  void count(const Trial& ended) {
    check_for_setup_failure(ended);
    if (!ended.failure) {
      failures_in_a_row_ = 0;
    } else if (ended.failure->cause != FailureCause::infeasible) {
      ++failures_in_a_row_;
    }
    if (options_.stop.failures_in_a_row > 0 &&
        failures_in_a_row_ >= options_.stop.failures_in_a_row) {
      set(RunEnd::too_many_failures);
    }
  }
  // Looks at the stored rounds, so that a resumed run stops where an uninterrupted one does.
  Result<void> check_information() {
    if (options_.stop.information <= 0.0 || study_.reported_round == checked_round_) return {};
    checked_round_ = study_.reported_round;
    const auto reports = study_.storage->load_reports(std::max(options_.stop.rounds, 1));
    if (!reports) return reports.error();
    if (nothing_left_to_learn(*reports, options_.stop)) set(RunEnd::no_more_information);
    return {};
  }

 private:
  // In the user's sign. REQUIRES: there is a value to stop at.
  bool is_enough(const Trial& trial) const {
    if (!is_feasible(study_.record.space, trial)) return false;
    return !order_.better(*options_.stop.value, *trial.value());
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  // The very first evaluations of a study show whether it was set up well.
  void check_for_setup_failure(const Trial& ended) {
    if (!is_first_run_ || options_.stop.failures_in_a_row == 0 || seems_right_) return;
    const bool fails = ended.failure && ended.failure->cause != FailureCause::infeasible &&
                       (!first_failure_ || ended.failure->message == first_failure_->message);
    if (!fails) {
      seems_right_ = true;
      return;
    }
    if (!first_failure_) first_failure_ = ended.failure;
    ++same_failures_;
    const bool enough = options_.stop.same_failures_first > 0 &&
                        same_failures_ >= options_.stop.same_failures_first;
    const bool no_program = ended.failure->cause == FailureCause::no_program;
    if (enough || no_program) set(RunEnd::setup_failure);
  }

  static constexpr double kBetweenStoring = 5.0;  // seconds
  static constexpr double kWorthStoring = 1.0;

  Study::Impl& study_;
  const RunOptions& options_;
  const Order order_;
  const bool is_first_run_;
  const Clock::time_point begin_ = Clock::now();
  double spent_ = 0.0;   // by all runs, at the last storing
  double stored_ = 0.0;  // of this run's seconds
  bool seems_right_ = false;
  std::optional<Failure> first_failure_;
  int same_failures_ = 0;
  std::optional<RunEnd> end_;
  int failures_in_a_row_ = 0;
  std::int64_t checked_round_ = -1;
  std::int64_t checked_news_ = 0;
};

// What both kinds of runs do with the study itself.
class Turns {
 public:
  Turns(Study::Impl& study, const RunOptions& options)
      : rule_(study, options), study_(study), options_(options) {}

  // Takes over whatever waits, whoever asked for it, as far as the budget goes.
  Result<void> begin() {
    if (const auto ready = study_.require_ready(); !ready) return ready.error();
    if (const auto open = study_.storage->set_ended(false); !open) return open.error();
    if (const auto kept = rule_.keep_time(); !kept) return kept.error();
    if (const auto checked = rule_.check_value(); !checked) return checked.error();
    std::vector<TrialId> ids;
    for (const auto& [id, trial] : study_.open_trials) {
      if (std::ssize(ids) < study_.record.budget - study_.ended) ids.push_back(id);
    }
    study_.handed.clear();
    return study_.storage->offer(ids);
  }
  Result<void> take_results() {
    const auto taken = study_.take_results();
    if (!taken) return taken.error();
    for (const Trial& trial : *taken) note(trial);
    return taken->empty() ? Result<void>() : rule_.check_value(*taken);
  }
  void note(const Trial& ended) {
    ahead_.evaluated(ended.seconds);
    if (options_.on_finished) options_.on_finished(ended);
    rule_.count(ended);
  }
  // Some of what people ask for: workers and signals wait for it. True: more is waiting.
  Result<bool> answer_requests() {
    return study_.answer_for(kAnswering, [this] { return rule_.interrupts() > 0; });
  }
  // Evaluations the budget still has room for, beside those that are open already.
  std::int64_t left() const { return study_.record.budget - study_.ended - with_workers(); }
  // Open trials but those that people asked for.
  std::int64_t with_workers() const {
    const auto with_people = std::ranges::count_if(study_.handed, [this](TrialId id) {
      return study_.open_trials.contains(id);  // and not dropped
    });
    return std::ssize(study_.open_trials) - with_people;
  }
  Result<void> ask(std::int64_t n) {
    const auto asked = study_.ask(std::min({n, left(), study_.record.optimizer.batch}), 0,
                                  Durability::with_the_next);
    if (!asked) return asked.error();
    asked_in_vain_ = asked->empty();
    // While something is evaluated its result may be a reason to evaluate points again.
    if (asked_in_vain_ && with_workers() == 0) rule_.set(RunEnd::space_exhausted);
    return rule_.check_information();
  }
  // The last ask gave nothing.
  bool asked_in_vain() const { return asked_in_vain_; }

  EndRule rule_;
  AskAhead ahead_;

 private:
  bool asked_in_vain_ = false;

 protected:
  Study::Impl& study_;
  const RunOptions& options_;
};

// One thread that evaluates by an executor, asks and tells.
class Runner : private Turns {
 public:
  Runner(Study::Impl& study, Executor& executor, const RunOptions& options)
      : Turns(study, options), executor_(executor) {
    me_.host = this_host();
    me_.name = "run";
    me_.process = process_.text();
  }

  Result<RunEnd> run() {
    Result<RunEnd> end = loop();
    if (!end) (void)abandon();  // e.g. a full disk: what runs cannot be recorded any more
    if (end) (void)rule_.keep_time(/*at_end=*/true);
    if (known_ && study_.storage) (void)study_.storage->leave(me_);
    return end;
  }

 private:
  Result<RunEnd> loop() {
    if (const auto begun = begin(); !begun) return begun.error();
    for (;;) {
      if (const auto taken = take_results(); !taken) return taken.error();
      if (rule_.interrupts() >= 2) {
        if (const auto given_up = abandon(); !given_up) return given_up.error();
        return RunEnd::interrupted;
      }
      if (const auto kept = rule_.keep_time(); !kept) return kept.error();
      rule_.look();
      bool asked_for_more = false;
      if (!rule_.end()) {
        const Result<bool> more = answer_requests();
        if (!more) return more.error();
        asked_for_more = *more;
        if (const auto filled = fill(); !filled) return filled.error();
      }
      if (executor_.running() == 0) {
        if (rule_.end()) return *rule_.end();
        if ((executor_.capacity() == 0 || asked_in_vain()) && !asked_for_more) {
          std::this_thread::sleep_for(kLookAround);  // all away
        }
        continue;
      }
      if (const auto kept = keep_leases(); !kept) return kept.error();
      if (const auto told =
              collect(executor_.wait(asked_for_more ? std::chrono::milliseconds(0) : kLookAround));
          !told)
        return told.error();
    }
  }

  // Starts trials until all workers are busy, those that wait already before new ones. New ones are
  // asked for as many at a time as there are free workers, at most a batch: at the start whole
  // batches that belong together, later one for each that ended, with all that is known by then.
  Result<void> fill() {
    while (!rule_.end() && executor_.running() < executor_.capacity()) {
      const auto free = static_cast<std::int64_t>(executor_.capacity() - executor_.running());
      me_.slots = static_cast<std::int64_t>(executor_.capacity());
      const auto claims = study_.storage->claim(me_, free);
      if (!claims) return claims.error();
      for (const Claim& claim : *claims) start(claim);
      if (!claims->empty()) continue;
      if (left() <= 0) return {};
      if (const auto asked = ask(free); !asked) return asked.error();
      if (asked_in_vain()) return {};
    }
    return {};
  }

  void start(const Claim& claim) {
    claims_[claim.trial.id] = claim;
    if (options_.on_started) options_.on_started(claim.trial);
    executor_.submit(job_of(claim.trial, study_.record.optimizer.seed));
  }

  Result<void> collect(std::vector<Outcome> outcomes) {
    if (outcomes.empty()) return {};
    std::vector<Trial> ended;
    for (Outcome& outcome : outcomes) {
      const auto claim = claims_.find(outcome.id);
      if (claim == claims_.end()) {
        return Error{ErrorKind::conflict, "the executor ended trial " + std::to_string(outcome.id) +
                                              ", which is not open"};
      }
      const int retries = std::max(outcome.attempts, 1) - 1;  // the claim counted the first
      ended.push_back(ended_by(claim->second.trial, std::move(outcome),
                               study_.record.space.limits(), study_.record.objectives.size()));
      ended.back().attempts += retries;
    }
    Result<void> stored = study_.finish(ended);
    if (!stored && stored.error().kind == ErrorKind::conflict) {
      // Somebody else has told one of them meanwhile; one by one, theirs stands.
      stored = {};
      for (const Trial& trial : ended) {
        const auto completed = study_.storage->complete(trial, claims_[trial.id].token);
        if (!completed) stored = completed.error();
      }
      ended.clear();
    }
    if (!stored) return Error{stored.error().kind, stored.error().message + unstored(ended)};
    for (const Trial& trial : ended) note(trial);
    for (const Outcome& outcome : outcomes) claims_.erase(outcome.id);
    return rule_.check_value(ended);
  }

  // Results in hand that could not be stored: too dear to keep silent about.
  static std::string unstored(const std::vector<Trial>& ended) {
    std::string text;
    for (const Trial& trial : ended) {
      if (trial.values.empty()) continue;
      text += text.empty() ? "; not stored, and to be evaluated again: " : ", ";
      text += "trial " + std::to_string(trial.id) + " = " + to_string(Value(*trial.value()));
    }
    return text;
  }

  Result<void> keep_leases() {
    const auto now = Clock::now();
    if (now - kept_ < std::chrono::duration<double>(kLeaseSeconds / 4)) return {};
    kept_ = now;
    std::vector<std::int64_t> tokens;
    for (const auto& [id, claim] : claims_) tokens.push_back(claim.token);
    const auto renewed = study_.storage->renew(me_, tokens);
    known_ = true;
    return renewed ? Result<void>() : renewed.error();
  }

  // Kills what runs; those trials wait for the next run.
  Result<void> abandon() {
    executor_.cancel();
    if (!study_.storage || claims_.empty()) return {};
    std::vector<std::int64_t> tokens;
    for (const auto& [id, claim] : claims_) tokens.push_back(claim.token);
    claims_.clear();
    return study_.storage->give_back(tokens);
  }

  Executor& executor_;
  const ProcessName process_;
  WorkerInfo me_;
  std::map<TrialId, Claim> claims_;  // what the executor runs
  Clock::time_point kept_ = Clock::now();
  bool known_ = false;  // the storage lists us as a worker
};

// Asks and tells; others evaluate.
class Coordinator : private Turns {
 public:
  using Turns::Turns;

  Result<RunEnd> run() {
    Result<RunEnd> end = loop();
    if (end) (void)rule_.keep_time(/*at_end=*/true);
    return end;
  }

 private:
  Result<RunEnd> loop() {
    if (const auto begun = begin(); !begun) return begun.error();
    for (bool timed_out = false;;) {
      const auto started = Clock::now();
      const std::int64_t ended_before = study_.ended;
      if (const auto taken = take_results(); !taken) return taken.error();
      if (const auto returned = return_lost(); !returned) return returned.error();
      const Result<QueueState> queue = study_.storage->queue_state();
      if (!queue) return queue.error();
      if (timed_out && (study_.ended > ended_before || queue->requests > 0)) note_unannounced();
      if (options_.on_turn) options_.on_turn(*queue);
      if (queue->untold > 0) continue;  // it is told to the method before the next ask
      if (const auto kept = rule_.keep_time(); !kept) return kept.error();
      rule_.look();
      bool asked_for_more = false;
      if (rule_.end()) {
        const Result<bool> over = wind_up(*queue);
        if (!over) return over.error();
        if (*over) return *rule_.end();
      } else {
        if (const auto working = require_workers(); !working) return working.error();
        if (queue->requests > 0) {
          const Result<bool> more = answer_requests();
          if (!more) return more.error();
          asked_for_more = *more;
        }
        if (const auto filled = fill(*queue); !filled) return filled.error();
        ahead_.took(std::chrono::duration<double>(Clock::now() - started).count());
      }
      const auto waited =
          study_.storage->wait(asked_for_more ? std::chrono::milliseconds(0) : kLookAround);
      if (!waited) return waited.error();
      timed_out = !*waited && !asked_for_more;
    }
  }

  void note_unannounced() {
    if (!options_.unannounced) return;
    const auto announced = study_.storage->wait(std::chrono::milliseconds(0));  // this very moment
    if (announced && !*announced) ++*options_.unannounced;
  }

  // Without them nobody may ever evaluate what is suggested.
  Result<void> require_workers() const {
    if (!options_.workers_ended || !*options_.workers_ended) return {};
    return Error{ErrorKind::conflict, "the workers of this run have ended before their time"};
  }

  Result<void> return_lost() {
    const auto now = Clock::now();
    if (now - looked_ < kLookForLost) return {};
    looked_ = now;
    const auto returned = study_.storage->return_lost();
    return returned ? Result<void>() : returned.error();
  }

  Result<void> fill(const QueueState& queue) {
    std::int64_t offered = queue.offered;
    // Before the first worker comes there is a batch for it to begin with.
    std::int64_t slots = std::max(queue.slots, options_.local_slots);
    if (slots == 0) slots = study_.record.optimizer.batch;
    const std::int64_t ahead = ahead_.depth(slots, study_.record.optimizer.batch);
    const std::int64_t idle = slots - queue.running;
    if (offered >= idle + ahead) return {};
    std::int64_t wanted = idle + 2 * ahead - offered;  // twice: so that asks are fewer and larger
    while (wanted > 0 && left() > 0 && !rule_.end()) {
      const std::int64_t before = study_.last_id;
      if (const auto asked = ask(wanted); !asked) return asked.error();
      if (asked_in_vain()) return {};
      wanted -= study_.last_id - before;
    }
    return {};
  }

  // What has to be over before the run is; true when it is.
  Result<bool> wind_up(const QueueState& queue) {
    const RunEnd end = *rule_.end();
    const bool at_once = rule_.interrupts() >= 2;
    if (end == RunEnd::space_exhausted && !at_once) {
      // What was suggested last is still to be evaluated.
      if (queue.offered > 0 || queue.running > 0) return false;
    }
    // The workers of this process first: what is stored next wakes them up.
    if (options_.stop_workers && *options_.stop_workers < (at_once ? 2 : 1)) {
      *options_.stop_workers = at_once ? 2 : 1;
    }
    if (!withdrawn_) {
      if (const auto withdrew = study_.storage->offer({}); !withdrew) return withdrew.error();
      const bool for_good = end == RunEnd::budget_spent || end == RunEnd::space_exhausted ||
                            end == RunEnd::no_more_information || end == RunEnd::good_enough ||
                            (end == RunEnd::time_over && rule_.is_out_of_time());
      if (const auto set = study_.storage->set_ended(for_good); !set) return set.error();
      withdrawn_ = true;
    }
    if (options_.workers_ended && !*options_.workers_ended) return false;
    // What they stored last, between our last look and their end.
    if (const auto taken = take_results(); !taken) return taken.error();
    return true;
  }

  Clock::time_point looked_{};
  bool withdrawn_ = false;
};

}  // namespace

namespace {

Result<void> check_stop(const StudyRecord& record, const StopRule& rule) {
  if (!rule.value || record.objectives.size() == 1) return {};
  return Error{ErrorKind::invalid_input,
               "found a value to stop at and " + std::to_string(record.objectives.size()) +
                   " objectives, expected it for one objective alone",
               "stop.value"};
}

}  // namespace

Result<RunEnd> Study::run(Executor& executor, const RunOptions& options) {
  if (const auto checked = check_stop(impl_->record, options.stop); !checked) {
    return checked.error();
  }
  return Runner(*impl_, executor, options).run();
}

Result<RunEnd> Study::coordinate(const RunOptions& options) {
  if (const auto checked = check_stop(impl_->record, options.stop); !checked) {
    return checked.error();
  }
  return Coordinator(*impl_, options).run();
}

}  // namespace vbo

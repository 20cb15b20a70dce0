// SPDX-License-Identifier: MIT
// Study::run: keeps every worker busy until there is a reason to stop.
#include <algorithm>
#include <thread>

#include "study/impl.hpp"
#include "study/stop_rule.hpp"

namespace vbo {
namespace {

constexpr std::chrono::milliseconds kLookAround{100};  // how soon an interrupt is noticed

class Runner {
 public:
  Runner(Study::Impl& study, Executor& executor, const RunOptions& options)
      : study_(study), executor_(executor), options_(options) {}

  Result<RunEnd> run() {
    Result<RunEnd> end = loop();
    if (!end) (void)abandon();  // e.g. a full disk: what runs cannot be recorded any more
    return end;
  }

 private:
  Result<RunEnd> loop() {
    if (const auto ready = study_.require_ready(); !ready) return ready.error();
    for (;;) {
      if (interrupts() >= 2) {
        if (const auto given_up = abandon(); !given_up) return given_up.error();
        return RunEnd::interrupted;
      }
      if (!end_ && interrupts() == 1) end_ = RunEnd::interrupted;
      if (!end_ && study_.ended >= study_.record.budget) end_ = RunEnd::budget_spent;
      if (!end_) {
        if (const auto filled = fill(); !filled) return filled.error();
      }
      if (executor_.running() == 0) {
        if (end_) return *end_;
        if (executor_.capacity() == 0) std::this_thread::sleep_for(kLookAround);  // all away
        continue;
      }
      if (const auto told = collect(executor_.wait(kLookAround)); !told) return told.error();
    }
  }

  int interrupts() const { return options_.interrupts ? options_.interrupts->load() : 0; }

  // Starts trials until all workers are busy, those that wait already before new ones. New ones are
  // asked for as many at a time as there are free workers, at most a batch: at the start whole
  // batches that belong together, later one for each that ended, with all that is known by then.
  Result<void> fill() {
    while (!end_ && executor_.running() < executor_.capacity()) {
      const std::int64_t left = study_.record.budget - study_.ended - running();
      if (left <= 0) return {};
      auto next =
          std::find_if(study_.open_trials.begin(), study_.open_trials.end(),
                       [](const auto& entry) { return entry.second.state == TrialState::waiting; });
      if (next == study_.open_trials.end()) {
        const auto free = static_cast<std::int64_t>(executor_.capacity() - executor_.running());
        const auto asked = study_.ask(std::min({free, left, study_.record.optimizer.batch}));
        if (!asked) return asked.error();
        if (asked->empty()) end_ = RunEnd::space_exhausted;
        if (const auto checked = check_information(); !checked) return checked.error();
        continue;
      }
      if (const auto started = start(next->second); !started) return started.error();
    }
    return {};
  }

  Result<void> start(Trial& trial) {
    const auto stored = study_.storage->set_running(trial.id, trial.attempts + 1);
    if (!stored) return stored.error();
    ++trial.attempts;
    trial.state = TrialState::running;
    if (options_.on_started) options_.on_started(trial);
    executor_.submit({trial.id, trial.point});
    return {};
  }

  Result<void> collect(std::vector<Outcome> outcomes) {
    if (outcomes.empty()) return {};
    std::vector<Trial> ended;
    for (Outcome& outcome : outcomes) {
      const auto open = study_.open_trials.find(outcome.id);
      if (open == study_.open_trials.end()) {
        return Error{ErrorKind::conflict, "the executor ended trial " + std::to_string(outcome.id) +
                                              ", which is not open"};
      }
      outcome.attempts = std::max(outcome.attempts, 1) - 1;  // start() counted the first
      ended.push_back(ended_trial(open->second, std::move(outcome)));
    }
    if (const auto stored = study_.finish(ended); !stored) {
      return Error{stored.error().kind, stored.error().message + unstored(ended)};
    }
    for (const Trial& trial : ended) {
      if (options_.on_finished) options_.on_finished(trial);
      count_failures(trial);
    }
    return {};
  }

  // Results in hand that could not be stored: too dear to keep silent about.
  static std::string unstored(const std::vector<Trial>& ended) {
    std::string text;
    for (const Trial& trial : ended) {
      if (!trial.value) continue;
      text += text.empty() ? "; not stored, and to be evaluated again: " : ", ";
      text += "trial " + std::to_string(trial.id) + " = " + to_string(Value(*trial.value));
    }
    return text;
  }

  void count_failures(const Trial& trial) {
    if (!trial.failure) {
      failures_in_a_row_ = 0;
    } else if (trial.failure->cause != FailureCause::infeasible) {
      ++failures_in_a_row_;
    }
    if (!end_ && options_.failures_in_a_row > 0 &&
        failures_in_a_row_ >= options_.failures_in_a_row) {
      end_ = RunEnd::too_many_failures;
    }
  }

  // Looks at the stored rounds, so that a resumed run stops where an uninterrupted one does.
  Result<void> check_information() {
    if (options_.stop_information <= 0.0 || study_.reported_round == checked_round_) return {};
    checked_round_ = study_.reported_round;
    const auto reports = study_.storage->load_reports(std::max(options_.stop_rounds, 1));
    if (!reports) return reports.error();
    if (!end_ && nothing_left_to_learn(*reports, options_)) end_ = RunEnd::no_more_information;
    return {};
  }

  // Kills what runs; those trials wait for the next run.
  Result<void> abandon() {
    executor_.cancel();
    if (!study_.storage) return {};
    for (auto& [id, trial] : study_.open_trials) trial.state = TrialState::waiting;
    const auto requeued = study_.storage->requeue_running();
    return requeued ? Result<void>() : requeued.error();
  }

  std::int64_t running() const { return static_cast<std::int64_t>(executor_.running()); }

  Study::Impl& study_;
  Executor& executor_;
  const RunOptions& options_;
  std::optional<RunEnd> end_;  // set: start nothing new, wait for what runs
  int failures_in_a_row_ = 0;
  std::int64_t checked_round_ = -1;
};

}  // namespace

Result<RunEnd> Study::run(Executor& executor, const RunOptions& options) {
  return Runner(*impl_, executor, options).run();
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "vbo/executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "exec/evaluator.hpp"

namespace vbo {
namespace {

constexpr std::size_t kCauses = static_cast<std::size_t>(FailureCause::reported) + 1;
constexpr double kLongestDelaySeconds = 60.0;

int retries_for(FailureCause cause, const ProcessOptions& options) {
  switch (cause) {
    case FailureCause::crash:
    case FailureCause::no_program:
    case FailureCause::no_value:
      return options.retries;
    case FailureCause::temporary:
      return options.temporary_retries;
    case FailureCause::lost:
      return options.lost_retries;
    case FailureCause::timeout:
    case FailureCause::infeasible:
    case FailureCause::non_finite:
    case FailureCause::reported:
      return 0;
  }
  return 0;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& additions) {
  std::vector<std::string> variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    const bool replaced = additions.contains(name) || is_own_variable(name);
    if (!replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : additions) {
    variables.push_back(name);
    variables.back().append("=").append(value);
  }
  return variables;
}

struct Slot {
  std::unique_ptr<Evaluator> evaluator;
  std::optional<Job> job;
  int attempts = 0;
  std::array<int, kCauses> failures{};             // of this job, by cause
  std::optional<Clock::time_point> next_attempt_;  // set while it waits to try again
};

class ProcessPool final : public Executor {
 public:
  ProcessPool(const Space& space, ProcessOptions options, CommandTemplate command,
              exec::TrialFiles files)
      : context_{.space = space,
                 .options = std::move(options),
                 .command = std::move(command),
                 .environment = {},
                 .files = std::move(files)} {
    context_.environment = environment_with(context_.options.environment);
    context_.environment.push_back("VBO_STUDY_DIR=" + context_.files.study_dir());
    slots_.resize(context_.options.workers);
    for (Slot& slot : slots_) {
      slot.evaluator = context_.options.mode == EvaluatorMode::once
                           ? make_once_evaluator(context_)
                           : make_serve_evaluator(context_);
    }
  }

  std::size_t capacity() const override { return slots_.size(); }
  std::size_t running() const override { return running_; }
  bool watch(int fd) override {
    watched_ = fd;
    return true;
  }

  void submit(Job job) override {
    const auto free =
        std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.job; });
    assert(free != slots_.end());
    ++running_;
    free->job = std::move(job);
    free->attempts = 0;
    free->failures = {};
    begin_attempt(*free);
  }

  std::vector<Outcome> wait(std::chrono::milliseconds at_most) override {
    std::vector<Outcome> outcomes;
    const Clock::time_point end = Clock::now() + at_most;
    while (running_ > 0) {
      step_all(outcomes);
      const Clock::time_point now = Clock::now();
      if (!outcomes.empty() || now >= end) break;
      if (!poll_until(end, now)) break;
    }
    return outcomes;
  }

  void cancel() override {
    for (Slot& slot : slots_) {
      slot.evaluator->kill();
      slot.job.reset();
      slot.next_attempt_.reset();
    }
    running_ = 0;
  }

 private:
  void begin_attempt(Slot& slot) {
    slot.next_attempt_.reset();
    ++slot.attempts;
    slot.evaluator->begin(*slot.job, Clock::now());
  }

  void step_all(std::vector<Outcome>& outcomes) {
    for (Slot& slot : slots_) {
      const Clock::time_point now = Clock::now();
      if (slot.next_attempt_ && now >= *slot.next_attempt_) begin_attempt(slot);
      std::optional<Outcome> end = slot.evaluator->step(now);
      if (end && !try_again(slot, *end, now)) outcomes.push_back(finish(slot, std::move(*end)));
    }
  }

  bool try_again(Slot& slot, const Outcome& end, Clock::time_point now) {
    const std::optional<Failure>& failure = end.failure;
    if (!failure) return false;
    int& count = slot.failures[static_cast<std::size_t>(failure->cause)];
    if (++count > retries_for(failure->cause, context_.options)) return false;
    const bool patient =
        failure->cause == FailureCause::temporary || failure->cause == FailureCause::lost;
    const double delay = patient
                             ? std::min(std::ldexp(context_.options.retry_delay_seconds, count - 1),
                                        kLongestDelaySeconds)
                             : 0.0;
    slot.next_attempt_ =
        now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(delay));
    return true;
  }

  Outcome finish(Slot& slot, Outcome outcome) {
    outcome.id = slot.job->id;
    outcome.attempts = slot.attempts;
    slot.job.reset();
    --running_;
    return outcome;
  }

  // Sleeps until something happens; false when that is the caller's business: a signal arrived, or
  // the watched descriptor is readable.
  bool poll_until(Clock::time_point end, Clock::time_point now) {
    events_.clear();
    for (const Slot& slot : slots_) {
      slot.evaluator->add_events(events_);
      const std::optional<Clock::time_point> wake =
          slot.next_attempt_ ? slot.next_attempt_ : slot.evaluator->wake_at();
      if (wake) end = std::min(end, *wake);
    }
    const std::size_t own = events_.size();  // poll() leaves out negative descriptors
    events_.push_back({context_.guardian.socket(), POLLIN, 0});
    events_.push_back({watched_, POLLIN, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now).count();
    const int timeout = static_cast<int>(std::clamp<long long>(left, 0, 1000));
    const int ready = poll(events_.data(), events_.size(), timeout);
    if (ready < 0) return false;
    if (events_[own].revents != 0) context_.guardian.replace_if_dead();
    return events_[own + 1].revents == 0;
  }

  EvaluatorContext context_;  // outlives the evaluators, which refer to it
  std::vector<Slot> slots_;
  std::size_t running_ = 0;
  int watched_ = -1;
  std::vector<pollfd> events_;
};

}  // namespace

Result<std::unique_ptr<Executor>> make_process_executor(const Space& space,
                                                        ProcessOptions options) {
  if (const Result<void> checked = options.validate(); !checked) return checked.error();
  Result<CommandTemplate> command = CommandTemplate::make(options.command, space);
  if (!command) return command.error();
  Result<exec::TrialFiles> files = exec::TrialFiles::make(options, space);
  if (!files) return files.error();
  return std::unique_ptr<Executor>(std::make_unique<ProcessPool>(
      space, std::move(options), std::move(*command), std::move(*files)));
}

}  // namespace vbo

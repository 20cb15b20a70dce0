// SPDX-License-Identifier: MIT
// mode = "once": one process per attempt.
#include <sys/wait.h>

#include "core/json.hpp"
#include "exec/evaluator.hpp"

namespace vbo {
namespace {

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

class OnceEvaluator final : public Evaluator {
 public:
  explicit OnceEvaluator(EvaluatorContext& context)
      : context_(context),
        output_(context.options.output_limit),
        errors_(context.options.stderr_limit) {}

  void begin(const Job& job, Clock::time_point now) override {
    output_.clear();
    errors_.clear();
    spawn_failure_.reset();
    start_ = now;
    SpawnOptions options{.arguments = context_.command.expand(job.point, job.seed),
                         .environment = context_.environment,
                         .directory = context_.options.directory,
                         .open_stdin = false};
    options.environment.push_back("VBO_PARAMS=" + dump(json_of(context_.space, job.point)));
    options.environment.push_back("VBO_TRIAL_ID=" + std::to_string(job.id));
    options.environment.push_back("VBO_SEED=" + std::to_string(job.seed));
    options.environment.push_back("VBO_REPEAT=" + std::to_string(job.repeat));
    Result<Child> spawned = Child::spawn(options, context_.guardian);
    if (!spawned) {
      spawn_failure_ = failure_from_spawn(spawned.error());
      return;
    }
    child_ = std::move(*spawned);
    deadline_ = Deadline(now, context_.options);
  }

  std::optional<Outcome> step(Clock::time_point now) override {
    if (spawn_failure_) return Outcome{.failure = std::exchange(spawn_failure_, {})};
    if (!child_) return std::nullopt;
    const bool exited = child_->has_exited();  // before reading: then nothing written is missed
    read_streams();
    if (!exited) {
      deadline_.step(now, *child_);
      return std::nullopt;
    }
    Outcome outcome = child_->start_error()
                          ? Outcome{.failure = failure_from_spawn(*child_->start_error())}
                          : outcome_of(child_->wait_status());
    child_.reset();
    outcome.seconds = seconds_between(start_, now);
    outcome.stderr_tail = errors_.text();
    return outcome;
  }

  void add_events(std::vector<pollfd>& events) const override {
    if (!child_) return;
    for (const int fd : {child_->stdout_fd(), child_->stderr_fd(), child_->exit_fd()}) {
      if (fd >= 0) events.push_back({fd, POLLIN, 0});
    }
  }

  std::optional<Clock::time_point> wake_at() const override {
    if (spawn_failure_) return start_;
    if (!child_) return std::nullopt;
    return deadline_.wake_at();
  }

  void kill() override {
    child_.reset();
    spawn_failure_.reset();
  }

 private:
  void read_streams() {
    std::string bytes;
    if (child_->stdout_fd() >= 0) {
      if (!read_available(child_->stdout_fd(), kReadAtOnce, bytes)) child_->close_stdout();
      output_.append(bytes);
    }
    bytes.clear();
    if (child_->stderr_fd() >= 0) {
      if (!read_available(child_->stderr_fd(), kReadAtOnce, bytes)) child_->close_stderr();
      errors_.append(bytes);
    }
  }

  Outcome outcome_of(int status) const {
    if (deadline_.is_over()) {
      return {.failure = timeout_failure(context_.options.timeout_seconds)};
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return {.failure = failure_from_status(status)};
    }
    return find_value(output_, context_.options.objectives);
  }

  EvaluatorContext& context_;
  Clock::time_point start_;
  std::optional<Child> child_;
  std::optional<Failure> spawn_failure_;
  Deadline deadline_;
  Tail output_;
  Tail errors_;
};

}  // namespace

std::unique_ptr<Evaluator> make_once_evaluator(EvaluatorContext& context) {
  return std::make_unique<OnceEvaluator>(context);
}

}  // namespace vbo

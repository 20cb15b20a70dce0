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
    Result<SpawnOptions> options = options_for(job);
    if (!options) {
      spawn_failure_ = failure_from_spawn(options.error());
      return;
    }
    Result<Child> spawned = Child::spawn(*options, context_.guardian);
    if (!spawned) {
      spawn_failure_ = failure_from_spawn(spawned.error());
      return;
    }
    child_ = std::move(*spawned);
    deadline_ = Deadline(now, context_.options);
  }

  std::optional<Outcome> step(Clock::time_point now) override {
    if (spawn_failure_) {
      folder_ = {};  // nothing has run in it
      return Outcome{.failure = std::exchange(spawn_failure_, {})};
    }
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
    outcome.folder = folder_.end(outcome.failure.has_value(), output_.text(), errors_.text());
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
    folder_ = {};
  }

 private:
  // With a folder of its own where the study has files.
  Result<SpawnOptions> options_for(const Job& job) {
    const exec::TrialFiles& files = context_.files;
    SpawnOptions options{.arguments = context_.command_for(job),
                         .environment = context_.environment,
                         .directory = context_.options.directory,
                         .input = {},
                         .open_stdin = false};
    options.environment.push_back("VBO_PARAMS=" + dump(json_of(context_.space, job.point)));
    options.environment.push_back("VBO_TRIAL_ID=" + std::to_string(job.id));
    options.environment.push_back("VBO_SEED=" + std::to_string(job.seed));
    options.environment.push_back("VBO_REPEAT=" + std::to_string(job.repeat));
    if (!files.has_folders()) return options;
    folder_ = {};  // of the attempt before
    Result<exec::TrialFolder> folder = files.begin(job);
    if (!folder) return folder.error();
    folder_ = std::move(*folder);
    options.environment.push_back("VBO_WORK_DIR=" + folder_.path());
    options.directory = folder_.path();
    const std::string& input = context_.options.files.input;
    if (!input.empty()) options.input = folder_.path() + "/" + input;
    return options;
  }

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
    return context_.files.extractor().outcome_of(output_, folder_.path());
  }

  EvaluatorContext& context_;
  Clock::time_point start_;
  exec::TrialFolder folder_;  // outlives what runs in it
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

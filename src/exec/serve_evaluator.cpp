// SPDX-License-Identifier: MIT
// mode = "serve": one long-lived process per worker, started when first needed and again when it
// died. One request is out at a time, so an answer with another id is an error of the evaluator.
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "core/json.hpp"
#include "core/quietly.hpp"
#include "exec/evaluator.hpp"

namespace vbo {
namespace {

constexpr auto kFarewell = std::chrono::milliseconds(1000);  // to exit once a stream is closed
constexpr auto kFarewellStep = std::chrono::milliseconds(5);

class ServeEvaluator final : public Evaluator {
 public:
  explicit ServeEvaluator(EvaluatorContext& context)
      : context_(context), errors_(context.options.stderr_limit) {}

  // The end of its input tells an idle evaluator to go; it may take a moment to do so.
  ~ServeEvaluator() override {
    if (!child_ || id_) return;
    child_->close_stdin();
    quietly([&] {
      for (const auto end = Clock::now() + kFarewell;
           !child_->has_exited() && Clock::now() < end;) {
        read_streams();
        std::this_thread::sleep_for(kFarewellStep);
      }
    });
  }

  void begin(const Job& job, Clock::time_point now) override {
    errors_.clear();
    early_end_.reset();
    mute_since_.reset();
    id_ = job.id;
    start_ = now;
    job_ = job;
    folder_ = {};
    if (context_.files.has_folders()) {
      Result<exec::TrialFolder> folder = context_.files.begin(job);
      if (!folder) {
        early_end_ = failure_from_spawn(folder.error());
        return;
      }
      folder_ = std::move(*folder);
    }
    send(now);
  }

  std::optional<Outcome> step(Clock::time_point now) override {
    if (early_end_) return finish({.failure = std::exchange(early_end_, {})}, now);
    if (!child_) return std::nullopt;
    if (!id_) {
      // Idle: keep its pipes empty and notice its death.
      const bool died = child_->has_exited();
      read_streams();
      lines_.clear();
      if (died) child_.reset();
      return std::nullopt;
    }
    const bool exited = child_->has_exited();
    read_streams();
    if (!deadline_.is_over()) {
      if (std::optional<Outcome> answer = take_answer()) {
        if (exited) child_.reset();
        return finish(*std::move(answer), now);
      }
    }
    if (exited && has_answered_ && !has_read_request()) {
      // It died of an earlier request, or had done enough; this one it never saw.
      child_.reset();
      send(now);
      return std::nullopt;
    }
    if (exited) {
      Failure failure = child_->start_error() ? failure_from_spawn(*child_->start_error())
                                              : failure_of_dead(child_->wait_status());
      child_.reset();
      return finish({.failure = std::move(failure)}, now);
    }
    if (lines_.size() > context_.options.line_limit) {
      return kill_and_finish(
          {FailureCause::crash,
           "its answer is longer than " + std::to_string(context_.options.line_limit) + " bytes"},
          now);
    }
    if (child_->stdout_fd() < 0) {
      // It can say nothing more. Usually it is just ending, and its exit code is about to tell why.
      if (!mute_since_) mute_since_ = now;
      if (now - *mute_since_ >= kFarewell) {
        return kill_and_finish(
            {FailureCause::crash, "it closed its standard output without an answer"}, now);
      }
    }
    deadline_.step(now, *child_);
    write_request();
    return std::nullopt;
  }

  void add_events(std::vector<pollfd>& events) const override {
    if (!child_) return;
    for (const int fd : {child_->stdout_fd(), child_->stderr_fd(), child_->exit_fd()}) {
      if (fd >= 0) events.push_back({fd, POLLIN, 0});
    }
    if (!request_.empty() && child_->stdin_fd() >= 0) {
      events.push_back({child_->stdin_fd(), POLLOUT, 0});
    }
  }

  std::optional<Clock::time_point> wake_at() const override {
    if (early_end_) return start_;
    if (!child_ || !id_) return std::nullopt;
    if (mute_since_) return *mute_since_ + kFarewell;
    return deadline_.wake_at();
  }

  void kill() override {
    child_.reset();
    early_end_.reset();
    id_.reset();
    request_.clear();
    lines_.clear();
    folder_ = {};
  }

 private:
  void send(Clock::time_point now) {
    if (child_ && child_->has_exited()) child_.reset();  // died while idle
    if (!child_ && !start_process()) return;
    // Nothing said before the question is an answer to it.
    read_streams();
    lines_.clear();
    request_ = R"({"id": )" + std::to_string(job_.id) + R"(, "params": )" +
               dump(json_of(context_.space, job_.point)) + R"(, "seed": )" +
               std::to_string(job_.seed) + R"(, "repeat": )" + std::to_string(job_.repeat);
    if (!folder_.path().empty()) request_ += R"(, "work_dir": )" + dump(Json(folder_.path()));
    request_ += "}\n";
    request_size_ = request_.size();
    deadline_ = Deadline(now, context_.options);
    write_request();
  }

  // False when all of it still lies in the pipe, or here.
  bool has_read_request() const {
    if (!request_.empty()) return request_.size() < request_size_;
    int left = 0;
    if (child_->stdin_fd() < 0 || ioctl(child_->stdin_fd(), FIONREAD, &left) != 0) return true;
    return left < static_cast<int>(request_size_);
  }

  bool start_process() {
    Result<Child> spawned = Child::spawn({.arguments = context_.command_for(job_),
                                          .environment = context_.environment,
                                          .directory = context_.options.directory,
                                          .input = {},
                                          .open_stdin = true},
                                         context_.guardian);
    if (!spawned) {
      early_end_ = failure_from_spawn(spawned.error());
      return false;
    }
    child_ = std::move(*spawned);
    has_answered_ = false;
    lines_.clear();
    return true;
  }

  void write_request() {
    const SigpipeBlocked blocked;
    while (!request_.empty() && child_->stdin_fd() >= 0) {
      const ssize_t written = write(child_->stdin_fd(), request_.data(), request_.size());
      if (written > 0) {
        request_.erase(0, static_cast<std::size_t>(written));
      } else if (errno == EPIPE) {
        child_->close_stdin();  // it no longer listens: its exit or the timeout decides
      } else if (errno != EINTR) {
        return;
      }
    }
  }

  void read_streams() {
    if (child_->stdout_fd() >= 0 && !read_available(child_->stdout_fd(), kReadAtOnce, lines_)) {
      child_->close_stdout();
    }
    std::string bytes;
    if (child_->stderr_fd() >= 0 && !read_available(child_->stderr_fd(), kReadAtOnce, bytes)) {
      child_->close_stderr();
    }
    errors_.append(bytes);
  }

  // The first whole line that is an answer; chatter before it is dropped.
  std::optional<Outcome> take_answer() {
    std::size_t start = 0;
    std::optional<Outcome> answer;
    for (std::size_t end = 0; !answer && (end = lines_.find('\n', start)) != std::string::npos;
         start = end + 1) {
      Reply reply = parse_reply(std::string_view(lines_).substr(start, end - start),
                                context_.options.objectives);
      if (reply.kind == Reply::Kind::other) continue;
      if (reply.kind == Reply::Kind::answer && reply.id == id_) {
        answer = std::move(reply.result);
        has_answered_ = true;
        continue;
      }
      child_.reset();  // out of step with us: only a new process can be trusted
      answer =
          reply.kind == Reply::Kind::malformed
              ? std::move(reply.result)
              : Outcome::failed(FailureCause::crash, "it answered id " + std::to_string(*reply.id) +
                                                         ", expected id " + std::to_string(*id_));
    }
    lines_.erase(0, start);
    return answer;
  }

  Failure failure_of_dead(int status) const {
    if (deadline_.is_over()) return timeout_failure(context_.options.timeout_seconds);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      return {FailureCause::lost, "the evaluator ended before it answered"};
    }
    return failure_from_status(status);
  }

  Outcome finish(Outcome outcome, Clock::time_point now) {
    id_.reset();
    request_.clear();
    outcome.seconds = std::chrono::duration<double>(now - start_).count();
    outcome.stderr_tail = errors_.text();
    outcome.folder = folder_.end(outcome.failure.has_value(), {}, errors_.text());
    return outcome;
  }

  Outcome kill_and_finish(Failure failure, Clock::time_point now) {
    child_.reset();
    lines_.clear();
    return finish({.failure = std::move(failure)}, now);
  }

  EvaluatorContext& context_;
  exec::TrialFolder folder_;  // of the request that is out; outlives what runs in it
  std::optional<Child> child_;
  std::optional<TrialId> id_;  // the request that is out
  std::optional<Failure> early_end_;
  std::optional<Clock::time_point> mute_since_;
  Clock::time_point start_;
  Deadline deadline_;
  Job job_;                    // of the request that is out
  bool has_answered_ = false;  // this process, an earlier request
  std::string request_;        // what is still to be written
  std::size_t request_size_ = 0;
  std::string lines_;  // read and not yet looked at
  Tail errors_;
};

}  // namespace

std::unique_ptr<Evaluator> make_serve_evaluator(EvaluatorContext& context) {
  return std::make_unique<ServeEvaluator>(context);
}

}  // namespace vbo

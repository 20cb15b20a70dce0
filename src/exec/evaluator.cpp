// SPDX-License-Identifier: MIT
#include "exec/evaluator.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "exec/program_files.hpp"

namespace vbo {
namespace {

constexpr int kInfeasible = 65;    // EX_DATAERR of sysexits.h
constexpr int kTemporary = 75;     // EX_TEMPFAIL
constexpr int kNotRunnable = 126;  // of POSIX shells: there, but no program
constexpr int kNotThere = 127;     // of POSIX shells

}  // namespace

std::vector<std::string> EvaluatorContext::command_for(const Job& job) const {
  std::vector<std::string> arguments =
      command.expand(job.point, {.seed = job.seed, .study_dir = files.study_dir()});
  std::string& program = arguments.front();
  const bool is_path = program.find('/') != std::string::npos && !program.starts_with('/');
  if (is_path && files.has_folders() && !exec::is_templated_program(options)) {
    program.insert(0, files.study_dir() + "/");
  }
  return arguments;
}

Failure failure_from_status(int wait_status) {
  const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
  if (code == kInfeasible) {
    return {FailureCause::infeasible, "the evaluator called the input infeasible (exit code 65)"};
  }
  if (code == kTemporary) {
    return {FailureCause::temporary, "the evaluator asked to try again later (exit code 75)"};
  }
  // Signals by which others end programs: a batch system that takes the machine away sends SIGTERM
  // to the evaluator as well as to us. Says nothing about the input.
  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  const bool from_outside = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  const FailureCause cause = from_outside                                ? FailureCause::lost
                             : code == kNotRunnable || code == kNotThere ? FailureCause::no_program
                                                                         : FailureCause::crash;
  return {cause, "the evaluator ended with " + describe_status(wait_status)};
}

Failure failure_from_spawn(const Error& error) {
  return {error.kind == ErrorKind::not_found ? FailureCause::no_program : FailureCause::lost,
          error.message};
}

Failure timeout_failure(double timeout_seconds) {
  return {FailureCause::timeout,
          "it ran longer than the timeout of " + to_string(Value(timeout_seconds)) + " s"};
}

bool read_available(int fd, std::size_t limit, std::string& into) {
  std::array<char, 65536> buffer;
  std::size_t total = 0;
  while (total < limit) {
    const ssize_t got = read(fd, buffer.data(), std::min(buffer.size(), limit - total));
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      total += static_cast<std::size_t>(got);
    } else if (got == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

Deadline::Deadline(Clock::time_point start, const ProcessOptions& options) {
  // The clock counts nanoseconds in 64 bits, 292 years: a later deadline would lie in the past.
  const auto after = [](double seconds) {
    constexpr double thirty_years = 1e9;
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(seconds, thirty_years)));
  };
  if (options.timeout_seconds <= 0.0) return;
  terminate_at_ = start + after(options.timeout_seconds);
  kill_at_ = *terminate_at_ + after(options.grace_seconds);
}

void Deadline::step(Clock::time_point now, const Child& child) {
  if (!terminate_at_) return;
  if (!terminated_ && now >= *terminate_at_) {
    child.signal_group(SIGTERM);
    terminated_ = true;
  }
  if (!killed_ && now >= kill_at_) {
    child.signal_group(SIGKILL);
    killed_ = true;
  }
}

std::optional<Clock::time_point> Deadline::wake_at() const {
  if (!terminate_at_ || killed_) return std::nullopt;
  return terminated_ ? kill_at_ : *terminate_at_;
}

}  // namespace vbo

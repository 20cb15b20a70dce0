// SPDX-License-Identifier: MIT
#include "cluster/command.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "exec/child.hpp"
#include "exec/evaluator.hpp"
#include "exec/guardian.hpp"

namespace vbo {
namespace {

constexpr std::size_t kMostOutput = std::size_t{64} << 20U;
constexpr int kPollMilliseconds = 50;  // also notices the end where no descriptor tells of it

}  // namespace

Result<CommandEnd> run_command(const std::vector<std::string>& arguments, double timeout_seconds) {
  SpawnOptions options{.arguments = arguments};
  for (char** entry = environ; entry && *entry; ++entry) options.environment.emplace_back(*entry);
  Guardian guardian;  // outlives the child
  Result<Child> child = Child::spawn(options, guardian);
  if (!child) return child.error();
  const auto start = std::chrono::steady_clock::now();
  CommandEnd end;
  for (;;) {
    const bool exited = child->has_exited();  // before reading: then nothing written is missed
    if (child->stdout_fd() >= 0 && !read_available(child->stdout_fd(), kReadAtOnce, end.out)) {
      child->close_stdout();
    }
    if (child->stderr_fd() >= 0 && !read_available(child->stderr_fd(), kReadAtOnce, end.err)) {
      child->close_stderr();
    }
    if (exited) break;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > timeout_seconds || end.out.size() + end.err.size() > kMostOutput) {
      return Error{ErrorKind::io, arguments.front() + " gives no answer"};
    }
    std::vector<pollfd> events;
    for (const int fd : {child->stdout_fd(), child->stderr_fd(), child->exit_fd()}) {
      if (fd >= 0) events.push_back({fd, POLLIN, 0});
    }
    poll(events.data(), events.size(), kPollMilliseconds);
  }
  if (child->start_error()) return *child->start_error();
  end.succeeded = WIFEXITED(child->wait_status()) && WEXITSTATUS(child->wait_status()) == 0;
  return end;
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace vbo

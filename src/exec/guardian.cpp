// SPDX-License-Identifier: MIT
#include "exec/guardian.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "exec/child.hpp"

namespace vbo {
namespace {

constexpr std::size_t kMostGroups = 8192;

// The guardian's whole life, after fork: only async-signal-safe calls and no memory of its own.
// Messages are process groups: positive = watch, negative = no longer.
[[noreturn]] void guard(int pipe) {
  setsid();  // a Ctrl-C in the terminal is not for us
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(ignored, SIG_IGN);
  prctl(PR_SET_NAME, "vbo-guardian");
  dup2(pipe, 0);  // keep nothing else open: others wait for the end of our standard output
  close_range(1, ~0U, 0);
  if (chdir("/") != 0) _exit(1);

  static std::array<pid_t, kMostGroups> groups{};
  std::size_t count = 0;
  pid_t message = 0;
  for (;;) {
    const ssize_t got = read(0, &message, sizeof message);  // pipe writes this small are atomic
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof message)) break;
    pid_t* const begin = groups.data();
    if (message > 0 && count < kMostGroups) {
      groups[count++] = message;
    } else if (message < 0) {
      pid_t* const found = std::find(begin, begin + count, -message);
      if (found != begin + count) *found = groups[--count];
    }
  }
  for (std::size_t i = 0; i < count; ++i) kill(-groups[i], SIGKILL);
  _exit(0);
}

}  // namespace

Guardian::Guardian() {
  std::array<int, 2> ends{};
  if (!make_pipe(ends)) return;
  pid_ = fork();
  if (pid_ == 0) guard(ends[0]);
  close(ends[0]);
  if (pid_ < 0) {
    close(ends[1]);
    return;
  }
  pipe_ = ends[1];
}

Guardian::~Guardian() {
  if (pipe_ < 0) return;
  close(pipe_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::send(pid_t message) const {
  if (pipe_ < 0) return;
  const SigpipeBlocked blocked;
  while (write(pipe_, &message, sizeof message) < 0 && errno == EINTR) {
  }
}

}  // namespace vbo

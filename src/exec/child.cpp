// SPDX-License-Identifier: MIT
#include "exec/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "exec/guardian.hpp"

namespace vbo {
namespace {

void close_fd(int& fd) {
  if (fd >= 0) close(std::exchange(fd, -1));
}

// Closes what was not released when spawning fails halfway.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  ~Pipe() {
    close_fd(ends[0]);
    close_fd(ends[1]);
  }
  int release(std::size_t end) { return std::exchange(ends[end], -1); }
};

std::vector<char*> c_array(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildSide {
  char* const* arguments;
  char* const* environment;
  const char* directory;  // nullptr = ours
  int in, out, err;       // become descriptors 0, 1, 2
  int error;              // errno goes here when exec fails
  pid_t parent;
  const Guardian* guardian;
};

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_evaluator(const ChildSide& side) {
  const auto fail = [&] {
    const int reason = errno;
    (void)!write(side.error, &reason, sizeof reason);
    _exit(127);
  };
  setpgid(0, 0);
  // Before the evaluator can start a process of its own: were vbo to tell the guardian, and be
  // killed just before, nobody would know of the grandchildren.
  if (side.guardian) side.guardian->watch(getpid());
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != side.parent) _exit(127);  // vbo died before the line above
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(side.in, 0) < 0 || dup2(side.out, 1) < 0 || dup2(side.err, 2) < 0) fail();
  if (side.directory && chdir(side.directory) != 0) fail();
  execvpe(side.arguments[0], side.arguments, side.environment);
  fail();
  _exit(127);
}

Error cannot_start(const SpawnOptions& options, int reason) {
  const bool permanent = reason == ENOENT || reason == EACCES || reason == ENOTDIR ||
                         reason == ENOEXEC || reason == EISDIR || reason == E2BIG;
  return {permanent ? ErrorKind::not_found : ErrorKind::io,
          "cannot start \"" + options.arguments.front() + "\": " + std::strerror(reason)};
}

}  // namespace

bool make_pipe(std::array<int, 2>& ends) {
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  for (int& fd : ends) {
    if (fd > 2) continue;
    // We were started with a standard stream closed; the child's dup2 must not overwrite this end.
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(std::exchange(fd, moved));
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

void set_non_blocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Result<Child> Child::spawn(const SpawnOptions& options, Guardian* guardian) {
  Pipe in, out, err, error;
  if (options.open_stdin) {
    if (!make_pipe(in.ends)) return cannot_start(options, errno);
  } else {
    in.ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in.ends[0] >= 0 && in.ends[0] <= 2) {
      const int moved = fcntl(in.ends[0], F_DUPFD_CLOEXEC, 3);
      close(std::exchange(in.ends[0], moved));
    }
    if (in.ends[0] < 0) return cannot_start(options, errno);
  }
  if (!make_pipe(out.ends) || !make_pipe(err.ends) || !make_pipe(error.ends)) {
    return cannot_start(options, errno);
  }
  const std::vector<char*> arguments = c_array(options.arguments);
  const std::vector<char*> environment = c_array(options.environment);
  const ChildSide side{arguments.data(),
                       environment.data(),
                       options.directory.empty() ? nullptr : options.directory.c_str(),
                       in.ends[0],
                       out.ends[1],
                       err.ends[1],
                       error.ends[1],
                       getpid(),
                       guardian};
  // No handler of ours may run in the child before it resets them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) become_evaluator(side);
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return cannot_start(options, fork_error);
  setpgid(pid, pid);  // here too: whoever comes first, nobody signals a group that is not there yet

  close_fd(error.ends[1]);
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(error.ends[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (got != 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (guardian) guardian->unwatch(pid);
    return cannot_start(options, reason);
  }

  Child child;
  child.pid_ = pid;
  child.in_ = in.release(1);
  child.out_ = out.release(0);
  child.err_ = err.release(0);
  child.exit_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // close-on-exec by definition
  for (const int fd : {child.in_, child.out_, child.err_}) {
    if (fd >= 0) set_non_blocking(fd);
  }
  child.guardian_ = guardian;
  return child;
}

Child::Child(Child&& other) noexcept { swap(other); }

Child& Child::operator=(Child&& other) noexcept {
  Child moved(std::move(other));
  swap(moved);
  return *this;
}

void Child::swap(Child& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(exit_, other.exit_);
  std::swap(status_, other.status_);
  std::swap(reaped_, other.reaped_);
  std::swap(guardian_, other.guardian_);
}

Child::~Child() {
  if (pid_ > 0 && !reaped_) {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (guardian_) guardian_->unwatch(pid_);
  }
  for (int* fd : {&in_, &out_, &err_, &exit_}) close_fd(*fd);
}

void Child::close_stdin() { close_fd(in_); }
void Child::close_stdout() { close_fd(out_); }
void Child::close_stderr() { close_fd(err_); }

void Child::signal_group(int signal) const {
  if (pid_ > 0 && !reaped_) kill(-pid_, signal);
}

bool Child::has_exited() {
  if (reaped_) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != ECHILD) return false;
    // Somebody made this process ignore SIGCHLD: the child is gone and took its status along.
    status_ = W_EXITCODE(127, 0);
    reaped_ = true;
    return true;
  }
  if (info.si_pid == 0) return false;
  // While the leader is not yet reaped its group number cannot be reused by strangers.
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  if (guardian_) guardian_->unwatch(pid_);
  return true;
}

std::string describe_status(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

SigpipeBlocked::SigpipeBlocked() {
  sigset_t pending, pipe;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

SigpipeBlocked::~SigpipeBlocked() {
  if (!was_pending_) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    const timespec at_once{};
    while (sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace vbo

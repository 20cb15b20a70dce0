// SPDX-License-Identifier: MIT
#include "exec/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "exec/guardian.hpp"
#include "exec/keeper.hpp"

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

Error cannot_start(const std::string& program, int reason) {
  const bool permanent = reason == ENOENT || reason == EACCES || reason == ENOTDIR ||
                         reason == ENOEXEC || reason == EISDIR || reason == E2BIG;
  return {permanent ? ErrorKind::not_found : ErrorKind::io,
          "cannot start \"" + program + "\": " + std::strerror(reason) +
              (reason == E2BIG ? "; mode = \"serve\" passes parameters of any size" : "")};
}

}  // namespace

namespace {

// We may have been started with a standard stream closed: what we print must not go here.
bool move_above_standard(int& fd) {
  if (fd > 2) return true;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(std::exchange(fd, moved));
  return moved >= 0;
}

// Waits until the descriptor is readable, at most so long.
bool wait_readable(int fd, int milliseconds) {
  pollfd event{fd, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&event, 1, milliseconds)) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

constexpr int kEndMilliseconds = 5'000;  // longer than a keeper tries

}  // namespace

bool make_pipe(std::array<int, 2>& ends) {
  ends = {-1, -1};
  return pipe2(ends.data(), O_CLOEXEC) == 0 && move_above_standard(ends[0]) &&
         move_above_standard(ends[1]);
}

bool make_link(std::array<int, 2>& ends) {
  ends = {-1, -1};
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0 &&
         move_above_standard(ends[0]) && move_above_standard(ends[1]);
}

void set_non_blocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Result<Child> Child::spawn(const SpawnOptions& options, Guardian& guardian) {
  Pipe in, out, err;
  const std::string& program = options.arguments.front();
  bool made = make_pipe(out.ends) && make_pipe(err.ends);
  if (options.open_stdin) {
    made = made && make_pipe(in.ends);
  } else if (made) {
    const std::string file = options.input.empty() ? "/dev/null" : options.input;
    in.ends[0] = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    made = in.ends[0] >= 0 && move_above_standard(in.ends[0]);
  }
  if (!made) return cannot_start(program, errno);
  Child child;
  child.guardian_ = &guardian;
  child.program_ = program;
  GroupTable* const groups = guardian.groups();
  const int reason =
      groups ? child.group_.start(options, in.ends[0], out.ends[1], err.ends[1], *groups)
             : child.start_below_keeper(options, in.ends[0], out.ends[1], err.ends[1]);
  if (reason != 0) return cannot_start(program, reason);
  child.in_ = in.release(1);
  child.out_ = out.release(0);
  child.err_ = err.release(0);
  for (const int fd : {child.in_, child.out_, child.err_}) {
    if (fd >= 0) set_non_blocking(fd);
  }
  return child;
}

int Child::start_below_keeper(const SpawnOptions& options, int in, int out, int err) {
  Pipe files;
  files.ends = {make_plan(options, guardian_->cgroup()), open(".", O_PATH | O_CLOEXEC)};
  if (files.ends[0] < 0 || files.ends[1] < 0) return errno;
  const int reason = guardian_->start(
      {.in = in, .out = out, .err = err, .plan = files.ends[0], .directory = files.ends[1]},
      keeper_);
  if (reason != 0) keeper_ = {};
  return reason;
}

Child::Child(Child&& other) noexcept { swap(other); }

Child& Child::operator=(Child&& other) noexcept {
  Child moved(std::move(other));
  swap(moved);
  return *this;
}

void Child::swap(Child& other) noexcept {
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(keeper_, other.keeper_);
  std::swap(group_, other.group_);
  std::swap(guardian_, other.guardian_);
  std::swap(program_, other.program_);
  std::swap(status_, other.status_);
  std::swap(start_error_, other.start_error_);
  std::swap(ended_, other.ended_);
}

Child::~Child() {
  if (exit_fd() >= 0) {
    signal_group(SIGKILL);
    if (wait_readable(exit_fd(), kEndMilliseconds)) has_exited();
  }
  for (int* fd : {&in_, &out_, &err_, &keeper_.socket}) close_fd(*fd);
}

void Child::close_stdin() { close_fd(in_); }
void Child::close_stdout() { close_fd(out_); }
void Child::close_stderr() { close_fd(err_); }

void Child::signal_group(int signal) const {
  group_.signal(signal);
  if (keeper_.socket < 0) return;
  while (send(keeper_.socket, &signal, sizeof signal, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno == EINTR) {
  }
}

bool Child::has_exited() {
  if (ended_) return true;
  if (group_.is_running()) return ended_ = group_.has_ended(status_);
  KeeperNews news;
  const ssize_t got = recv(keeper_.socket, &news, sizeof news, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  // A keeper that was killed takes the evaluator along.
  if (got != static_cast<ssize_t>(sizeof news)) news.value = W_EXITCODE(0, SIGKILL);
  status_ = news.value;
  if (news.kind == KeeperNews::Kind::not_started) start_error_ = cannot_start(program_, news.value);
  if (news.stays) guardian_->put_back(std::exchange(keeper_, {}));
  ended_ = true;
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

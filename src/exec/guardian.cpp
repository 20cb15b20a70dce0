// SPDX-License-Identifier: MIT
#include "exec/guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "exec/child.hpp"
#include "exec/messages.hpp"

namespace vbo {
namespace {

constexpr std::size_t kMostKeepers = 8192;
constexpr int kOwner = 3, kSignals = 4;  // descriptors; 0 is the socket, 1 and 2 lead nowhere

struct Keepers {
  std::array<pid_t, kMostKeepers> pids{};
  std::size_t count = 0;

  bool remove(pid_t pid) {
    pid_t* const end = pids.data() + count;
    pid_t* const found = std::find(pids.data(), end, pid);
    if (found == end) return false;
    *found = pids[--count];
    return true;
  }
};

// False once the children are all gone.
bool reap(Keepers& keepers, const char* cgroup) {
  bool strays = false;
  int status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    const bool keeper = keepers.remove(pid);
    if (keeper) clear_cgroup(cgroup, pid);
    // A keeper that could not end everything or was killed, or the child of such a one: what they
    // started is ours now.
    if (!keeper || !WIFEXITED(status) || WEXITSTATUS(status) != kKeeperEndedAll) strays = true;
  }
  if (strays) kill_children(keepers.pids.data(), keepers.count);
  return pid == 0;
}

void start_keeper(int link, Keepers& keepers) {
  errno = EAGAIN;
  const pid_t pid = keepers.count < kMostKeepers ? plain_fork() : -1;
  if (pid == 0) {
    dup2(1, 0);  // our socket is not its business, and the evaluators' files must lie above 2
    keep(link, kOwner);
  }
  if (pid > 0) {
    keepers.pids[keepers.count++] = pid;
  } else {
    const KeeperNews news{KeeperNews::Kind::not_started, errno, false};
    (void)!send(link, &news, sizeof news, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  close(link);
}

// The guardian's whole life, after fork: only async-signal-safe calls and no memory of its own.
[[noreturn]] void guard(int socket, pid_t vbo, const char* cgroup, const GroupTable* groups) {
  setsid();        // a Ctrl-C in the terminal is not for us
  sigset_t child;  // all signals are blocked
  // Evaluators inherit what is ignored; and SIGCHLD, ignored, would take the wait status along.
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  prctl(PR_SET_NAME, "vbo-guardian");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // A process forked from vbo may hold the other end of the socket open: look at vbo itself too.
  const int owner = static_cast<int>(syscall(SYS_pidfd_open, vbo, 0));
  if (getppid() != vbo) {
    if (groups) groups->kill_all();
    _exit(0);
  }
  // Nothing else stays open: others wait for the end of our standard output. All descriptors that
  // arrive later lie above these, out of the way of an evaluator's standard streams.
  const int kept = fcntl(socket, F_DUPFD_CLOEXEC, 16);
  const int watched = owner < 0 ? -1 : fcntl(owner, F_DUPFD_CLOEXEC, 16);
  const int nowhere = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 16);
  // Without room for them it could neither notice vbo's end nor receive commands.
  if (kept < 0 || nowhere < 0 || (owner >= 0 && watched < 0)) _exit(1);
  close_range(0, 15, 0);
  dup2(kept, 0);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  dup3(watched >= 0 ? watched : nowhere, kOwner, O_CLOEXEC);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals != kSignals) dup3(signals, kSignals, O_CLOEXEC);
  close_range(kSignals + 1, ~0U, 0);
  if (chdir("/") != 0) _exit(1);

  static Keepers keepers;
  keepers.count = 0;
  for (bool over = false;;) {
    // A device is always readable: without a pidfd there is nothing to look at.
    std::array<pollfd, 3> events{{{over ? -1 : 0, POLLIN, 0},
                                  {over || watched < 0 ? -1 : kOwner, POLLIN, 0},
                                  {kSignals, POLLIN, 0}}};
    poll(events.data(), events.size(), over ? 100 : -1);
    signalfd_siginfo drained{};
    while (read(kSignals, &drained, sizeof drained) > 0) {
    }
    if (events[1].revents != 0) over = true;
    if (!over && events[0].revents != 0) {
      int link = -1;
      const Message received = receive_message(0, {&link, 1});
      over = received.size == 0 || (received.size < 0 && errno != EINTR && errno != EAGAIN);
      if (received.descriptors == 1) start_keeper(link, keepers);
    }
    if (over && groups) groups->kill_all();
    // At the end it stays for as long as there is a keeper to stand in for.
    if (!reap(keepers, cgroup) && over) _exit(0);
  }
}

}  // namespace

Guardian::Guardian(Containment containment) {
  if (containment == Containment::group) {
    groups_.emplace();
  } else {
    cgroup_ = usable_cgroup();
  }
  make();
}

Guardian::~Guardian() { bury(); }

std::optional<int> Guardian::take_keeper() {
  if (idle_.empty()) return std::nullopt;
  const int link = idle_.back();
  idle_.pop_back();
  return link;
}

void Guardian::put_back(KeeperLink keeper) {
  if (keeper.generation == generation_) {
    idle_.push_back(keeper.socket);
  } else {
    close(keeper.socket);  // nobody would stand in for it
  }
}

int Guardian::make() {
  std::array<int, 2> ends{};
  if (!make_link(ends)) return errno;
  const pid_t vbo = getpid();
  sigset_t all, before;  // no handler of ours may run in the guardian
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = plain_fork();
  if (pid == 0) guard(ends[0], vbo, cgroup_.c_str(), groups());
  const int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return reason;
  }
  pid_ = pid;
  socket_ = ends[1];
  return 0;
}

void Guardian::bury() {
  for (const int link : idle_) close(link);
  idle_.clear();
  ++generation_;
  if (socket_ < 0) return;
  close(std::exchange(socket_, -1));
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

int Guardian::start_keeper(int& socket) {
  std::array<int, 2> ends{};
  if (!make_link(ends)) return errno;
  int reason = socket_ >= 0 ? send_descriptors(socket_, {ends.data(), 1}) : EPIPE;
  if (reason == EPIPE || reason == ECONNRESET) {
    bury();
    reason = make();
    if (reason == 0) reason = send_descriptors(socket_, {ends.data(), 1});
  }
  close(ends[0]);
  if (reason == 0) {
    socket = ends[1];
  } else {
    close(ends[1]);
  }
  return reason;
}

int Guardian::start(const KeeperFiles& files, KeeperLink& keeper) {
  while (const std::optional<int> idle = take_keeper()) {
    keeper = {*idle, generation_};
    if (send_descriptors(keeper.socket, files.all()) == 0) return 0;
    close(keeper.socket);  // it was killed meanwhile
  }
  if (const int reason = start_keeper(keeper.socket); reason != 0) return reason;
  keeper.generation = generation_;
  const int reason = send_descriptors(keeper.socket, files.all());
  if (reason != 0) close(keeper.socket);
  return reason;
}

void Guardian::replace_if_dead() {
  char byte = 0;
  if (socket_ >= 0) {
    const ssize_t got = recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
    bury();
  }
  make();
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "exec/process_group.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "exec/child.hpp"

namespace vbo {
namespace {

constexpr std::size_t kMostGroups = 8192;
constexpr pid_t kTaken = -1;  // by a group that has not started yet

struct Start {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  int in, out, err;
  GroupTable::Entry& entry;
  pid_t vbo;
};

// Between vfork and exec, in vbo's memory: only async-signal-safe calls.
[[noreturn]] void become_program(const Start& start, volatile int& reason) {
  setpgid(0, 0);
  // In this order: the guardian reads the table after vbo has ended, so it sees the entry, or we
  // see that our parent has changed.
  start.entry.store(getpid());
  if (getppid() != start.vbo) _exit(127);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(start.in, 0) >= 0 && dup2(start.out, 1) >= 0 && dup2(start.err, 2) >= 0 &&
      close_range(3, ~0U, 0) == 0 && (!*start.directory || chdir(start.directory) == 0)) {
    execvpe(start.program, start.arguments, start.environment);
  }
  reason = errno;
  _exit(127);
}

[[gnu::noinline]] pid_t start_program(const Start& start, volatile int& reason) {
  const pid_t pid = vfork();
  if (pid == 0) become_program(start, reason);
  return pid;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

GroupTable::GroupTable() {
  void* const shared = mmap(nullptr, kMostGroups * sizeof(Entry), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) entries_ = {static_cast<Entry*>(shared), kMostGroups};
}

GroupTable::~GroupTable() {
  if (!entries_.empty()) munmap(entries_.data(), entries_.size_bytes());
}

GroupTable::Entry* GroupTable::take() {
  for (Entry& entry : entries_) {
    pid_t free = 0;
    if (entry.compare_exchange_strong(free, kTaken)) return &entry;
  }
  return nullptr;
}

void GroupTable::give_back(Entry& entry) { entry.store(0); }

void GroupTable::kill_all() const {
  for (const Entry& entry : entries_) {
    const pid_t group = entry.load();
    if (group > 0) kill(-group, SIGKILL);
  }
}

int ProcessGroup::start(const SpawnOptions& options, int in, int out, int err, GroupTable& table) {
  entry_ = table.take();
  if (!entry_) return EAGAIN;
  const std::vector<char*> arguments = pointers_to(options.arguments);
  const std::vector<char*> environment = pointers_to(options.environment);
  const Start start{arguments.front(),
                    arguments.data(),
                    environment.data(),
                    options.directory.c_str(),
                    in,
                    out,
                    err,
                    *entry_,
                    getpid()};
  volatile int reason = 0;
  sigset_t all, before;  // no handler of vbo's may run in the child, which shares its memory
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_ = start_program(start, reason);
  if (pid_ < 0) reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) {
    GroupTable::give_back(*entry_);
    return reason;
  }
  exit_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (reason == 0 && exit_fd_ < 0) reason = errno;
  if (reason != 0) {
    signal(SIGKILL);
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    int status = 0;
    has_ended(status);
  }
  return reason;
}

void ProcessGroup::signal(int number) const {
  if (pid_ > 0) kill(-pid_, number);
}

bool ProcessGroup::has_ended(int& status) {
  if (pid_ <= 0) return true;
  siginfo_t info{};
  const int found = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (found == 0 && info.si_pid == 0) return false;
  status = W_EXITCODE(0, SIGKILL);  // where SIGCHLD is ignored, nobody can tell
  if (found == 0) {
    signal(SIGKILL);  // before the leader is reaped: until then the number is the group's
    GroupTable::give_back(*entry_);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  } else {
    GroupTable::give_back(*entry_);
  }
  pid_ = -1;
  if (exit_fd_ >= 0) close(std::exchange(exit_fd_, -1));
  return true;
}

}  // namespace vbo

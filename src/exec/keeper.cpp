// SPDX-License-Identifier: MIT
#include "exec/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "exec/child.hpp"
#include "exec/messages.hpp"

namespace vbo {
namespace {

constexpr int kRoundMilliseconds = 10;  // between two looks for what is left to kill
constexpr int kMostRounds = 200;        // a process in an uninterruptible call, or another user's

struct PlanHeader {
  std::uint64_t arguments = 0, environment = 0;  // how many
};  // then, each ended by NUL: control group, directory, arguments, environment

struct Plan {
  const char* cgroup = "";
  const char* directory = "";
  char** arguments = nullptr;
  char** environment = nullptr;
  std::span<char> text, table;  // what is mapped
};

// Text of a fixed size, without the heap.
struct Text {
  std::array<char, 4352> bytes{};
  std::size_t size = 0;

  Text& add(const char* text) {
    while (*text && size + 1 < bytes.size()) bytes[size++] = *text++;
    return *this;
  }
  Text& add(pid_t number) {
    std::array<char, 12> digits{};
    std::size_t at = digits.size() - 1;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    return add(digits.data() + at);
  }
  const char* c_str() const { return bytes.data(); }
};

bool write_file(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text, std::strlen(text)) > 0;
  close(fd);
  return written;
}

Text cgroup_file(const char* parent, pid_t keeper, const char* name) {
  Text path;
  path.add(parent).add("/vbo-").add(keeper).add(name);
  return path;
}

// Whether something still runs in the keeper's control group; false when that cannot be told.
bool is_populated(const char* parent, pid_t keeper) {
  const int fd = open(cgroup_file(parent, keeper, "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 256> text{};
  const ssize_t got = read(fd, text.data(), text.size() - 1);
  close(fd);
  return got > 0 && std::strstr(text.data(), "populated 1");
}

// An evaluator may have made groups of its own in it. A folder's links: two, and one for each.
bool has_no_groups_inside(const char* parent, pid_t keeper) {
  struct stat status {};
  return stat(cgroup_file(parent, keeper, "").c_str(), &status) == 0 && status.st_nlink == 2;
}

bool read_plan(int fd, Plan& plan) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return false;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return false;
  PlanHeader header;
  std::memcpy(&header, mapped, sizeof header);
  const std::size_t pointers = header.arguments + header.environment + 2;
  void* const table = mmap(nullptr, pointers * sizeof(char*), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  plan.text = {static_cast<char*>(mapped), size};
  if (table == MAP_FAILED) return false;
  plan.table = {static_cast<char*>(table), pointers * sizeof(char*)};
  char* text = static_cast<char*>(mapped) + sizeof header;
  const auto next = [&] {
    char* const start = text;
    text += std::strlen(text) + 1;
    return start;
  };
  plan.cgroup = next();
  plan.directory = next();
  char** slot = static_cast<char**>(table);
  plan.arguments = slot;
  for (std::uint64_t i = 0; i < header.arguments; ++i) *slot++ = next();
  *slot++ = nullptr;
  plan.environment = slot;
  for (std::uint64_t i = 0; i < header.environment; ++i) *slot++ = next();
  *slot = nullptr;
  return true;
}

void unmap(const Plan& plan) {
  for (const std::span<char>& mapped : {plan.text, plan.table}) {
    if (!mapped.empty()) munmap(mapped.data(), mapped.size());
  }
}

[[noreturn]] void become_evaluator(const Plan& plan, const KeeperFiles& files, int& reason,
                                   pid_t keeper) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(127);  // the keeper died before the line above
  if (*plan.cgroup) write_file(cgroup_file(plan.cgroup, keeper, "/cgroup.procs").c_str(), "0");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(files.in, 0) >= 0 && dup2(files.out, 1) >= 0 && dup2(files.err, 2) >= 0 &&
      fchdir(files.directory) == 0 && (!*plan.directory || chdir(plan.directory) == 0)) {
    execvpe(plan.arguments[0], plan.arguments, plan.environment);
  }
  reason = errno;
  _exit(127);
}

// The process id, or -1 with errno. What goes wrong later is in `reason`, which is shared memory.
// vfork instead of fork: nothing is copied, and we go on once the program runs.
[[gnu::noinline]] pid_t start_evaluator(const Plan& plan, const KeeperFiles& files, int& reason,
                                        pid_t keeper) {
  const pid_t pid = vfork();
  if (pid == 0) become_evaluator(plan, files, reason, keeper);
  return pid;
}

void send_news(int link, const KeeperNews& news) {
  while (send(link, &news, sizeof news, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void drain(int signals) {
  signalfd_siginfo drained{};
  while (read(signals, &drained, sizeof drained) > 0) {
  }
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

// Kills all that is below us; the wait status of the evaluator comes back in `status`. False when
// something could not be killed within two seconds, or the control group cannot serve the next
// evaluator: that is left to the guardian.
bool end_all(pid_t evaluator, const char* cgroup, int signals, int& status) {
  status = SIGKILL;
  bool reaped = false;
  bool gone = false;
  for (int round = 0; round < kMostRounds && !gone; ++round) {
    // Until its leader is reaped the number of a group cannot be a stranger's.
    if (!reaped) kill(-evaluator, SIGKILL);
    if (*cgroup && is_populated(cgroup, getpid())) {
      write_file(cgroup_file(cgroup, getpid(), "/cgroup.kill").c_str(), "1");
    }
    int ended = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &ended, WNOHANG)) > 0) {
      if (pid != evaluator) continue;
      status = ended;
      reaped = true;
    }
    gone = pid < 0 && errno == ECHILD && (!*cgroup || !is_populated(cgroup, getpid()));
    if (gone) break;
    kill_children(nullptr, 0);
    pollfd event{signals, POLLIN, 0};
    poll(&event, 1, kRoundMilliseconds);
    drain(signals);
  }
  return (!*cgroup || has_no_groups_inside(cgroup, getpid())) && gone;
}

// The parent of a process by /proc/PID/stat; 0 when it cannot be told.
pid_t parent_of(const char* pid) {
  Text path;
  path.add("/proc/").add(pid).add("/stat");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::array<char, 512> text{};
  const ssize_t got = read(fd, text.data(), text.size() - 1);
  close(fd);
  if (got <= 0) return 0;
  const char* at = std::strrchr(text.data(), ')');  // the name before may hold anything
  if (!at || std::strlen(at) < 5) return 0;
  pid_t parent = 0;
  for (at += 4; *at >= '0' && *at <= '9'; ++at) parent = parent * 10 + (*at - '0');
  return parent;
}

}  // namespace

pid_t plain_fork() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return _Fork();
#else
  return fork();
#endif
}

void kill_children(const pid_t* spared, std::size_t spared_count) {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  struct Entry {  // linux_dirent64
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
  };
  alignas(Entry) std::array<char, 16384> buffer;
  const pid_t self = getpid();
  for (;;) {
    const long got = syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      at += entry->length;
      pid_t pid = 0;
      for (const char* c = entry->name; *c >= '0' && *c <= '9'; ++c) pid = pid * 10 + (*c - '0');
      if (pid <= 0 || parent_of(entry->name) != self) continue;
      // Our own child: nobody but us can reap it and so make its number another's.
      if (std::find(spared, spared + spared_count, pid) == spared + spared_count) {
        kill(pid, SIGKILL);
      }
    }
  }
  close(folder);
}

void clear_cgroup(const char* parent, pid_t keeper) {
  if (!*parent) return;
  write_file(cgroup_file(parent, keeper, "/cgroup.kill").c_str(), "1");
  for (int round = 0; round < kMostRounds; ++round) {
    if (rmdir(cgroup_file(parent, keeper, "").c_str()) == 0 || errno != EBUSY) return;
    poll(nullptr, 0, kRoundMilliseconds);
  }
}

int make_plan(const SpawnOptions& options, std::string_view cgroup) {
  const PlanHeader header{options.arguments.size(), options.environment.size()};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  const auto add = [&](std::string_view text) { bytes.append(text).push_back('\0'); };
  add(cgroup);
  add(options.directory);
  for (const std::string& text : options.arguments) add(text);
  for (const std::string& text : options.environment) add(text);
  const int fd = memfd_create("vbo-plan", MFD_CLOEXEC);
  if (fd < 0) return -1;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      close(fd);
      errno = reason;
      return -1;
    }
    at += static_cast<std::size_t>(written);
  }
  return fd;
}

namespace {

struct Keeper {
  int link, owner, signals;
  int* reason;      // errno of an evaluator that could not become one; shared with it
  Text group = {};  // the control group, made for the first evaluator
  bool has_group = false;

  // Until the evaluator ends, vbo kills it, or vbo is gone; false in the last case.
  bool watch(pid_t evaluator) const {
    for (;;) {
      std::array<pollfd, 3> events{{{link, POLLIN, 0}, {owner, POLLIN, 0}, {signals, POLLIN, 0}}};
      if (poll(events.data(), events.size(), -1) < 0) continue;
      drain(signals);
      if (has_ended(evaluator)) return true;
      if (events[1].revents != 0) return false;
      // Adopted ones that ended by themselves. Never the evaluator: its number is still needed.
      siginfo_t info{};
      while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
             info.si_pid != evaluator) {
        waitpid(info.si_pid, nullptr, 0);
        info.si_pid = 0;
      }
      if (events[0].revents == 0) continue;
      const Message order = receive_message(link, {});
      if (order.size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (order.size <= 0) return false;
      if (order.value == SIGKILL) return true;
      kill(-evaluator, order.value);
    }
  }

  // One evaluator from start to end. False when we have to go afterwards.
  bool run(const KeeperFiles& files) {
    Plan plan;
    KeeperNews news{KeeperNews::Kind::not_started, 0, true};
    pid_t evaluator = -1;
    *reason = 0;
    if (read_plan(files.plan, plan)) {
      if (*plan.cgroup && !has_group) {
        group = cgroup_file(plan.cgroup, getpid(), "");
        has_group = mkdir(group.c_str(), 0755) == 0;
      }
      if (!has_group) plan.cgroup = "";
      evaluator = start_evaluator(plan, files, *reason, getpid());
    }
    news.value = errno;
    for (const int fd : files.all()) close(fd);
    if (evaluator >= 0) {
      const bool wanted = watch(evaluator);
      news.kind = KeeperNews::Kind::ended;
      news.stays = end_all(evaluator, plan.cgroup, signals, news.value) && wanted;
      if (*reason != 0) news = {KeeperNews::Kind::not_started, *reason, news.stays};
    }
    unmap(plan);
    send_news(link, news);
    return news.stays;
  }

  // With nothing to end. What is left of a group that is still in use is the guardian's.
  [[noreturn]] void leave() const {
    if (has_group) rmdir(group.c_str());
    _exit(kKeeperEndedAll);
  }
};

}  // namespace

[[noreturn]] void keep(int link, int owner) {
  prctl(PR_SET_NAME, "vbo-keeper");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  void* const shared =
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (signals < 0 || shared == MAP_FAILED) {
    send_news(link, {KeeperNews::Kind::not_started, errno, false});
    _exit(kKeeperEndedAll);
  }
  Keeper keeper{link, owner, signals, static_cast<int*>(shared)};
  for (;;) {
    std::array<pollfd, 2> events{{{link, POLLIN, 0}, {owner, POLLIN, 0}}};
    if (poll(events.data(), events.size(), -1) < 0) continue;
    if (events[1].revents != 0) keeper.leave();
    std::array<int, KeeperFiles::kCount> fds{};
    const Message order = receive_message(link, fds);
    if (order.size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (order.size <= 0) keeper.leave();
    // A signal for an evaluator that has just ended is of no use any more.
    if (order.descriptors < fds.size()) continue;
    if (!keeper.run({fds[0], fds[1], fds[2], fds[3], fds[4]})) _exit(kKeeperEndedAll + 1);
  }
}

}  // namespace vbo

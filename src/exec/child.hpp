// SPDX-License-Identifier: MIT
// One evaluator in a process group of its own, below a keeper (keeper.hpp) or, with containment =
// "group", below us (process_group.hpp), with pipes to talk to it. Started directly, never through
// a shell; it dies with us, and with it all it has started, or its group. All calls return at once,
// except the destructor, which kills them and waits for the (then immediate) end. Not thread-safe.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "exec/guardian.hpp"
#include "vbo/error.hpp"

namespace vbo {

struct SpawnOptions {
  std::vector<std::string> arguments;    // program first; searched in PATH when it has no slash
  std::vector<std::string> environment;  // "KEY=value", all of it
  std::string directory;                 // working directory; empty = ours
  std::string input;                     // the file it reads; empty = /dev/null
  bool open_stdin = false;               // a pipe to write to, instead of a file
};

class Child {
 public:
  // Does not wait for a keeper: whether the program could be started is known when has_exited().
  // Error kinds: not_found when the program cannot be executed, io when the system cannot now.
  // REQUIRES: the guardian outlives the child.
  static Result<Child> spawn(const SpawnOptions& options, Guardian& guardian);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // File descriptors, all non-blocking and close-on-exec; -1 when closed.
  int stdin_fd() const { return in_; }
  int stdout_fd() const { return out_; }
  int stderr_fd() const { return err_; }
  // Readable once the evaluator ended.
  int exit_fd() const { return group_.is_running() ? group_.exit_fd() : keeper_.socket; }
  void close_stdin();
  void close_stdout();
  void close_stderr();

  // To the process group; SIGKILL to everything that is contained.
  void signal_group(int signal) const;
  // True once the evaluator has ended and what it left running is killed.
  bool has_exited();
  // As of waitpid; or why there was nothing to wait for. REQUIRES: has_exited()
  int wait_status() const { return status_; }
  const std::optional<Error>& start_error() const { return start_error_; }

 private:
  Child() = default;
  int start_below_keeper(const SpawnOptions& options, int in, int out, int err);
  void swap(Child& other) noexcept;

  int in_ = -1, out_ = -1, err_ = -1;
  KeeperLink keeper_;   // of the two,
  ProcessGroup group_;  // one is used
  Guardian* guardian_ = nullptr;
  std::string program_;
  int status_ = 0;
  std::optional<Error> start_error_;
  bool ended_ = false;
};

// "exit code 3" or "signal 11 (Segmentation fault)".
std::string describe_status(int wait_status);

// Both ends close-on-exec and above the three standard descriptors. False: errno says why.
bool make_pipe(std::array<int, 2>& ends);
bool make_link(std::array<int, 2>& ends);  // a pair of sockets that keep messages apart
void set_non_blocking(int fd);

// While it lives, writing to a closed pipe gives EPIPE in this thread instead of a fatal signal.
class SigpipeBlocked {
 public:
  SigpipeBlocked();
  ~SigpipeBlocked();
  SigpipeBlocked(const SigpipeBlocked&) = delete;
  SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;

 private:
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace vbo

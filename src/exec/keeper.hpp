// SPDX-License-Identifier: MIT
// The process between vbo and evaluators, one at a time. It is the evaluator's parent and adopts
// whatever that starts and abandons (PR_SET_CHILD_SUBREAPER), so nothing leaves the tree below it,
// by setsid and a double fork neither; where a control group can be made, evaluators run in the
// keeper's own. When the evaluator ends, when vbo says so or when vbo is gone, the keeper kills
// everything below it before it tells how the evaluator ended; then it waits for the next, so that
// an evaluation costs one fork (vfork) and one exec. Lives between fork and exec: only
// async-signal-safe calls, no memory but its stack and what the kernel maps.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace vbo {

struct SpawnOptions;

// What an evaluator is started with, as descriptors in this order. A message with them starts it, a
// message with a signal number sends that to its group.
struct KeeperFiles {
  int in = -1, out = -1, err = -1;  // its standard streams
  int plan = -1;                    // what to start, from make_plan()
  int directory = -1;               // vbo's working directory

  static constexpr std::size_t kCount = 5;
  std::array<int, kCount> all() const { return {in, out, err, plan, directory}; }
};

// The end of each evaluator that was to be started.
struct KeeperNews {
  enum class Kind {
    not_started,  // value: errno
    ended,        // value: the wait status
  };
  Kind kind = Kind::ended;
  int value = 0;
  bool stays = false;  // the keeper waits for the next one; otherwise it is gone
};

// Arguments, environment and directories as a file in memory; -1: errno says why. `cgroup` is the
// folder to make a control group in; empty = do without.
int make_plan(const SpawnOptions& options, std::string_view cgroup);

// The exit code of a keeper below which nothing runs any more; its control group may still be
// there.
constexpr int kKeeperEndedAll = 0;

// A keeper's whole life. `link` is its end of a socket to vbo, `owner` a pidfd of vbo, or -1.
[[noreturn]] void keep(int link, int owner);

// Kills every child of this process but those in `spared`; what they leave becomes ours and is for
// the next call.
void kill_children(const pid_t* spared, std::size_t spared_count);

// Kills what is in the control group that the keeper with this id made in `parent`; removes it.
void clear_cgroup(const char* parent, pid_t keeper);

// The folder of this process's control group, where it may make others; empty where it may not:
// no cgroup v2, no right to write there, or VBO_CGROUP=off in the environment.
std::string usable_cgroup();

pid_t plain_fork();  // without the handlers of pthread_atfork

}  // namespace vbo

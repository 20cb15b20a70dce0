// SPDX-License-Identifier: MIT
// containment = "group": the evaluator is vbo's own child and the leader of a process group; one
// fork (vfork) and one exec are all it costs. What leaves the group is not followed. The groups
// that run are listed in a table shared with the guardian, which kills them when vbo is gone.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <span>

namespace vbo {

struct SpawnOptions;

// The numbers of the groups that run, in memory that a process forked later shares; 0: free.
class GroupTable {
 public:
  using Entry = std::atomic<pid_t>;
  static_assert(Entry::is_always_lock_free);

  GroupTable();
  ~GroupTable();
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  // An entry that no live ProcessGroup uses; nullptr: all are taken, or there is no memory.
  Entry* take();
  static void give_back(Entry& entry);
  // Async-signal-safe.
  void kill_all() const;

 private:
  std::span<Entry> entries_;
};

// Not thread-safe. Its evaluator must be ended before it is destroyed: kill it and has_ended().
class ProcessGroup {
 public:
  // Returns once the program runs. 0, or errno.
  int start(const SpawnOptions& options, int in, int out, int err, GroupTable& table);

  bool is_running() const { return pid_ > 0; }
  int exit_fd() const { return exit_fd_; }  // readable once the leader has ended
  void signal(int number) const;
  // Once the leader has ended: kills what it left in the group and gives its wait status.
  bool has_ended(int& status);

 private:
  pid_t pid_ = -1;
  int exit_fd_ = -1;
  GroupTable::Entry* entry_ = nullptr;
};

}  // namespace vbo

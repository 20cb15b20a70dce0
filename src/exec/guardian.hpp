// SPDX-License-Identifier: MIT
// Keeps no evaluator running after vbo itself is gone. A guardian is a tiny process of its own that
// holds one end of a pipe: when vbo ends in any way, kill -9 included, the pipe closes and the
// guardian kills the process groups it was told to watch. Without it the grandchildren of a killed
// vbo would go on computing beside the evaluations of the resumed one. Not thread-safe.
#pragma once

#include <sys/types.h>

namespace vbo {

class Guardian {
 public:
  Guardian();   // when no process can be made, watching silently does nothing
  ~Guardian();  // ends the guardian, and with it every group still watched
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // Also between fork and exec: async-signal-safe.
  void watch(pid_t group) const { send(group); }
  void unwatch(pid_t group) const { send(-group); }

 private:
  void send(pid_t message) const;

  pid_t pid_ = -1;
  int pipe_ = -1;
};

}  // namespace vbo

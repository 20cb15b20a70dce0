// SPDX-License-Identifier: MIT
// One message with descriptors over a Unix socket that keeps messages apart. Only async-signal-safe
// calls, no memory but the stack.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace vbo {

inline constexpr std::size_t kMostDescriptors = 8;

// 0, or errno. REQUIRES: at most kMostDescriptors.
int send_descriptors(int socket, std::span<const int> descriptors);

struct Message {
  ssize_t size = 0;  // bytes in `value`; 0: the other end is closed; negative: errno says
  int value = 0;     // of a message without descriptors
  std::size_t descriptors = 0;  // how many came, close-on-exec
};
// Does not block. Descriptors beyond those expected are closed by the system.
Message receive_message(int socket, std::span<int> descriptors);

}  // namespace vbo

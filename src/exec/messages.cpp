// SPDX-License-Identifier: MIT
#include "exec/messages.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace vbo {
namespace {

// An integer, and room for descriptors.
class Envelope {
 public:
  Envelope() {
    message.msg_iov = &data_;
    message.msg_iovlen = 1;
    message.msg_control = ancillary_.data();
  }
  Envelope(const Envelope&) = delete;  // the message points into it
  Envelope& operator=(const Envelope&) = delete;

  msghdr message{};
  int value = 0;

 private:
  iovec data_{&value, sizeof value};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> ancillary_{};
};

}  // namespace

int send_descriptors(int socket, std::span<const int> descriptors) {
  Envelope envelope;
  envelope.message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const header = CMSG_FIRSTHDR(&envelope.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  while (sendmsg(socket, &envelope.message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

Message receive_message(int socket, std::span<int> descriptors) {
  Envelope envelope;
  envelope.message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  Message received;
  received.size = recvmsg(socket, &envelope.message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  received.value = envelope.value;
  const cmsghdr* const header = received.size > 0 ? CMSG_FIRSTHDR(&envelope.message) : nullptr;
  if (header && header->cmsg_type == SCM_RIGHTS) {
    received.descriptors =
        std::min(descriptors.size(), (header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(header), received.descriptors * sizeof(int));
  }
  return received;
}

}  // namespace vbo

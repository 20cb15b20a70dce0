// SPDX-License-Identifier: MIT
// Who a process is, so that others on the same machine notice its end at once instead of waiting
// for its lease, and numbers nobody else has.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace vbo {

// True only when it is certain: the process was one of this machine, since this start of it and in
// this process namespace, and is no more. A process elsewhere is never "gone".
bool process_is_gone(const std::string& process);

std::int64_t new_token();  // random, above 0
// Since a result of this process ended; 0 = unknown.
inline double seconds_since(const std::optional<std::chrono::steady_clock::time_point>& ended_at) {
  using Seconds = std::chrono::duration<double>;
  return ended_at ? Seconds(std::chrono::steady_clock::now() - *ended_at).count() : 0.0;
}
double system_seconds();  // since 1970, by this machine's clock

// By the clock that nobody sets and that stands still while the machine sleeps: since this start of
// it. What leases are measured with where all who hold one are on one machine.
double machine_seconds();
// Whether a lease held by `process` until then, by machine_seconds(), is over: or was never one
// that we could have given, because it is of an earlier start of the machine or ends too far away.
bool lease_is_over(double until, const std::string& process);

}  // namespace vbo

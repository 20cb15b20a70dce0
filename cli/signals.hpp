// SPDX-License-Identifier: MIT
// Ctrl-C and friends for a long-running command. The first SIGINT asks to finish what runs, the
// second to stop at once; SIGTERM and SIGHUP are like the first, with a deadline after which they
// are like the second. Should stopping at once take long (a method may be computing), the process
// ends anyway: nothing is lost, storage is always consistent and the evaluators die with us.
#pragma once

#include <atomic>
#include <cstdint>

#include "cli/arguments.hpp"

namespace vbo::cli {

// From now on signals only count. 0 = none, 1 = finish what runs, 2 = stop at once.
// REQUIRES: termination_deadline_seconds >= 1.
const std::atomic<int>& watch_interrupts(unsigned termination_deadline_seconds = 20);

// --grace SECONDS, that deadline.
void grace_option(Arguments& arguments, std::int64_t& seconds);

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include "cli/console.hpp"

namespace vbo::cli {
namespace {

constexpr unsigned kStopDeadlineSeconds = 3;

std::atomic<int> interrupts = 0;
unsigned termination_deadline = 20;  // seconds; written before the handlers are installed
static_assert(std::atomic<int>::is_always_lock_free);

// Only async-signal-safe calls here.
void on_signal(int number) {
  if (number == SIGALRM && interrupts >= 2) _exit(kInterrupted);
  const bool gentle = number == SIGTERM || number == SIGHUP;
  if (gentle && interrupts >= 1) return;
  if (number == SIGALRM) interrupts = 1;  // the deadline of SIGTERM is over: count one more
  if (++interrupts > 2) _exit(kInterrupted);
  if (gentle) alarm(termination_deadline);
  if (interrupts == 2) alarm(kStopDeadlineSeconds);
}

}  // namespace

const std::atomic<int>& watch_interrupts(unsigned termination_deadline_seconds) {
  interrupts = 0;
  termination_deadline = termination_deadline_seconds;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) sigaddset(&action.sa_mask, number);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    const bool nohup = number == SIGHUP && before.sa_handler == SIG_IGN;
    if (!nohup) sigaction(number, &action, nullptr);
  }
  return interrupts;
}

void grace_option(Arguments& arguments, std::int64_t& seconds) {
  constexpr std::int64_t longest = 86400;
  arguments.option("--grace", seconds, "SECONDS",
                   "Time the running evaluations get to finish after SIGTERM", 1, longest);
}

}  // namespace vbo::cli

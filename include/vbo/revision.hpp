// SPDX-License-Identifier: MIT
// What people change afterwards: a result is replaced, a suggestion taken back, a failed evaluation
// made again. Nothing is overwritten silently: the trial as it was stays in the log, with the
// reason and the moment, and replaying a study goes through the same changes in the same order.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vbo/trial.hpp"

namespace vbo {

enum class RevisionKind {
  replaced,  // an ended trial has another result, or another point was really set
  dropped,   // a waiting suggestion was taken back; the trial is in the log alone
  retried,   // a failed trial waits to be evaluated again
};

struct Revision {
  std::int64_t id = 0;  // rises in the order in which they were made
  RevisionKind kind = RevisionKind::replaced;
  std::string reason;
  Trial before;          // the trial as it was until then, without its stderr_tail
  double made_at = 0.0;  // by the storage's clock
  EventId event = 0;     // in which the method received it; 0 = not yet
};

std::string_view to_string(RevisionKind kind);  // "replaced" | "dropped" | "retried"
std::optional<RevisionKind> revision_kind_from(std::string_view text);

}  // namespace vbo

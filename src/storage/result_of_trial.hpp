// SPDX-License-Identifier: MIT
// The part of a trial that a result is made of.
#pragma once

#include "vbo/trial.hpp"

namespace vbo {

inline bool same_result(const Trial& a, const Trial& b) {
  return a.state == b.state && a.values == b.values && a.failure == b.failure &&
         a.metrics == b.metrics && a.standard_error == b.standard_error && a.steps == b.steps &&
         a.attributes == b.attributes && a.suggested.has_value() == b.suggested.has_value() &&
         (!a.suggested || a.point == b.point);
}

inline void take_outcome(Trial& stored, Trial ended) { move_outcome(ended, stored); }

inline Trial with_result_of(Trial stored, const Trial& ended) {
  take_outcome(stored, ended);
  stored.point = ended.point;
  stored.suggested = ended.suggested;
  return stored;
}

}  // namespace vbo

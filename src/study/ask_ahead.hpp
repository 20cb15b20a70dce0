// SPDX-License-Identifier: MIT
// How many suggestions should wait for workers, so that none of them waits for the method. Every
// suggestion made ahead knows a little less than one made at the last moment, so there are none
// while asking and telling takes next to no time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vbo {

class AskAhead {
 public:
  void evaluated(double seconds) {  // one evaluation
    if (!(seconds > 0.0)) return;
    mean_seconds_ +=
        (seconds - mean_seconds_) * std::max(0.02, 1.0 / static_cast<double>(++count_));
  }
  // One turn of telling and asking. Training is rare and long: the longest one counts, and is
  // forgotten slowly.
  void took(double seconds) { turn_seconds_ = std::max(seconds, kForget * turn_seconds_); }

  // With `slots` evaluations at a time, slots / mean_seconds end per second, so while a turn lasts
  // that rate times turn_seconds do; half as many again, for they do not come evenly. A batch is
  // what the user lets the method suggest without a result. One evaluation at a time is never
  // ahead: such a run can be repeated exactly.
  std::int64_t depth(std::int64_t slots, std::int64_t batch) const {
    if (slots <= 1 || count_ == 0) return 0;
    if (turn_seconds_ < kNegligible * mean_seconds_) return 0;
    const double during = static_cast<double>(slots) * turn_seconds_ / mean_seconds_;
    const auto most = static_cast<double>(std::max(2 * slots, batch));
    return static_cast<std::int64_t>(std::ceil(std::min(1.5 * during, most)));
  }

 private:
  static constexpr double kForget = 0.97;      // per turn
  static constexpr double kNegligible = 0.01;  // of an evaluation: workers then idle for 1%
  double mean_seconds_ = 0.0;
  double turn_seconds_ = 0.0;
  std::int64_t count_ = 0;
};

}  // namespace vbo

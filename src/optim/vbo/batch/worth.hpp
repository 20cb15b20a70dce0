// SPDX-License-Identifier: MIT
// What a suggestion that does not exploit is worth when every evaluation counts (aim = "average").
// With H evaluations left, a gain in the best value counts H times and a loss once: such a
// suggestion is made where
//   H * (expected gain)  >  (expected loss against the best result).
// For expected improvement both sides are the model's own,  H * EI(x) > best - m(x);  for mutations
// they are means over the latest ones, for restarts counts and a part of the spread of outcomes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "optim/state_bytes.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

// Evaluations that a gain found now is worth: those left, or as many as there were where the budget
// is not known.
inline double horizon(std::int64_t budget, std::int64_t results) {
  return static_cast<double>(budget > 0 ? std::max<std::int64_t>(0, budget - results) : results);
}

// What the latest mutations came to.
class MutationScore {
 public:
  // `loss`: best result before minus this one; not positive where it is a better one.
  void learn(double loss);
  // Whether one more is worth its loss. `prior_gain` counts as the gain of one more before the
  // first.
  bool pays(double horizon, double prior_gain) const;

  void write(StateWriter& out) const { out.put(tries_).put(gain_).put(loss_); }
  void read(StateReader& in);

 private:
  double tries_ = 0.0;              // of the latest, older ones fading
  double gain_ = 0.0, loss_ = 0.0;  // their sums
};

// Whether a restart is worth its loss: `results` of the first one, each worse by `loss` in the
// mean, against a chance of 1 / (k + 2) to find a better basin, by Laplace's rule after k others
// found none.
bool restart_pays(double horizon, double gain, double results, double loss, std::int64_t others);

}  // namespace vbo

// SPDX-License-Identifier: MIT
// What a slot of the batch is worth. Mutations get as many as their successes warrant. Where every
// evaluation counts (aim = "average") they and expected improvement must also pay: with H
// evaluations left, a gain in the best value counts H times and a loss once: such a
// suggestion is made where
//   H * (expected gain)  >  (expected loss against the best result).
// For expected improvement both sides are the model's own,  H * EI(x) > best - m(x);  for mutations
// they are means over the latest ones, and a part of the spread of outcomes before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "optim/state_bytes.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo::batch {

// Evaluations that a gain found now is worth: those left, or as many as there were where the budget
// is not known.
inline double horizon(std::int64_t budget, std::int64_t results) {
  return static_cast<double>(budget > 0 ? std::max<std::int64_t>(0, budget - results) : results);
}

// How often suggestions of some source were better than all results before their round. Older ones
// fade; one success of Tuning::success_prior suggestions is the prior.
class SuccessRate {
 public:
  void learn(bool success);
  double rate() const { return (successes_ + 1.0) / (tries_ + Tuning::success_prior); }

  void write(StateWriter& out) const { out.put(tries_).put(successes_); }
  void read(StateReader& in);

 private:
  double tries_ = 0.0, successes_ = 0.0;
};

// The share of a batch that a source is worth: what it would have at equal rates, `prior`, times
// its rate of success against that of the others.
inline double share_by_success(double prior, const SuccessRate& own, const SuccessRate& others) {
  const double mine = prior * own.rate();
  return mine / (mine + (1.0 - prior) * others.rate());
}

// What the latest mutations came to.
class MutationScore {
 public:
  // `loss`: best result before minus this one; not positive where it is a better one.
  void learn(double loss);
  // How many more are worth their loss; infinity where the latest gains alone pay. Before the
  // first, one is expected to lose `prior_loss` and all of them together to gain `prior_gain`.
  double worth_trying(double horizon, double prior_gain, double prior_loss) const;

  void write(StateWriter& out) const { out.put(all_).put(tries_).put(gain_).put(loss_); }
  void read(StateReader& in);

 private:
  std::int64_t all_ = 0;
  double tries_ = 0.0;              // of the latest, older ones fading
  double gain_ = 0.0, loss_ = 0.0;  // their sums
};

}  // namespace vbo::batch

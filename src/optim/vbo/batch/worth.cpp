// SPDX-License-Identifier: MIT
#include "optim/vbo/batch/worth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo::batch {

void SuccessRate::learn(bool success) {
  const double kept = std::min(1.0, Tuning::success_memory / (tries_ + 1.0));
  tries_ = kept * (tries_ + 1.0);
  successes_ = kept * (successes_ + (success ? 1.0 : 0.0));
}

void SuccessRate::read(StateReader& in) {
  tries_ = in.get_number(0.0, Tuning::success_memory);
  successes_ = in.get_number(0.0, tries_);
}

void MutationScore::learn(double loss) {
  if (!std::isfinite(loss)) return;  // a failure says nothing about values
  const double kept = std::min(1.0, Tuning::mutation_memory / (tries_ + 1.0));
  ++all_;
  tries_ = kept * (tries_ + 1.0);
  gain_ = kept * (gain_ + std::max(0.0, -loss));
  loss_ = kept * (loss_ + std::max(0.0, loss));
}

// The n-th mutation is expected to gain prior_gain / n, whatever became of the others, and what the
// latest ones gained.
double MutationScore::worth_trying(double horizon, double prior_gain, double prior_loss) const {
  const double loss = (prior_loss + loss_) / (tries_ + 1.0);
  if (!(loss > horizon * gain_ / (tries_ + 1.0))) return std::numeric_limits<double>::infinity();
  return std::max(0.0, horizon * prior_gain / loss - static_cast<double>(all_));
}

void MutationScore::read(StateReader& in) {
  all_ = in.get_count();
  tries_ = in.get_number(0.0, Tuning::mutation_memory);
  gain_ = in.get_number(0.0, std::numeric_limits<double>::max());
  loss_ = in.get_number(0.0, std::numeric_limits<double>::max());
}

}  // namespace vbo::batch

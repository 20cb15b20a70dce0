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
  tries_ = kept * (tries_ + 1.0);
  gain_ = kept * (gain_ + std::max(0.0, -loss));
  loss_ = kept * (loss_ + std::max(0.0, loss));
}

bool MutationScore::pays(double horizon, double prior_gain) const {
  return tries_ < 1.0 || horizon * (prior_gain + gain_) / (tries_ + 1.0) > loss_ / tries_;
}

void MutationScore::read(StateReader& in) {
  tries_ = in.get_number(0.0, Tuning::mutation_memory);
  gain_ = in.get_number(0.0, std::numeric_limits<double>::max());
  loss_ = in.get_number(0.0, std::numeric_limits<double>::max());
}

bool restart_pays(double horizon, double gain, double results, double loss, std::int64_t others) {
  return horizon * gain / static_cast<double>(others + 2) > results * loss;
}

}  // namespace vbo::batch

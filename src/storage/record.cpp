// SPDX-License-Identifier: MIT
#include "vbo/storage.hpp"

namespace vbo {

StudyRecord StudyRecord::at(EventId event) const {
  StudyRecord then = *this;
  while (!then.changes.empty() && then.changes.back().event > event) {
    then.space = then.changes.back().space;
    then.optimizer = then.changes.back().optimizer;
    then.changes.pop_back();
  }
  then.optimizer.threads = optimizer.threads;
  return then;
}

OptimizerOptions StudyRecord::method_options() const {
  OptimizerOptions options = optimizer;
  options.objectives.clear();
  if (objectives.size() == 1) return options;
  options.objectives = objectives;
  for (Objective& objective : options.objectives) {
    if (objective.goal == Goal::maximize) continue;
    objective.goal = Goal::maximize;
    if (objective.reference) objective.reference = -*objective.reference;
  }
  return options;
}

}  // namespace vbo

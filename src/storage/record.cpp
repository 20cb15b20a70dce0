// SPDX-License-Identifier: MIT
#include "vbo/storage.hpp"

namespace vbo {

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

// SPDX-License-Identifier: MIT
#include "vbo/storage.hpp"

#include <limits>
#include <utility>

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

Result<std::vector<Completion>> WorkQueue::exchange(std::span<const Claim> ended,
                                                    const WorkerInfo& worker, std::int64_t most,
                                                    double lease_seconds,
                                                    const std::function<void(Claim)>& start) {
  Result<std::vector<Claim>> claims = claim(worker, most, lease_seconds);
  if (!claims) return claims.error();
  for (Claim& claim : *claims) start(std::move(claim));
  if (ended.empty()) return std::vector<Completion>();
  return complete_all(ended);
}

Result<std::int64_t> WorkQueue::durable(std::int64_t) {
  return std::numeric_limits<std::int64_t>::max();  // nothing is made durable later
}

}  // namespace vbo

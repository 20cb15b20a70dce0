// SPDX-License-Identifier: MIT
// Asking in a finite space of which every point has been suggested. The method is not asked; it
// learns the results as it learns any that it has not suggested.
#include "study/impl.hpp"

namespace vbo {

Result<std::vector<Trial>> Study::Impl::ask_again(std::int64_t n, std::int64_t request,
                                                  Durability durability) {
  std::vector<Trial> trials;
  n = std::min(n, record.budget - ended - std::ssize(open_trials));
  if (n <= 0) return trials;
  if (!resampling) {
    const Result<std::vector<Trial>> history = storage->load_history();
    if (!history) return history.error();
    resampling.emplace(record.objectives, record.space.limits());
    for (const Trial& trial : *history) {
      count_resampled(trial, /*ended=*/false);
      if (trial.told_in != 0) count_resampled(trial, /*ended=*/true);
    }
  }
  for (const TrialId first : resampling->choose(n)) {
    Trial trial{.id = last_id + std::ssize(trials) + 1, .point = resampling->point(first)};
    trial.asked_in = last_event + 1;
    trial.rationale = {.source = "repeat",
                       .origin = Origin::resampled,
                       .repeat_of = first,
                       .repeat = resampling->evaluations(first) + 1};
    resampling->count_asked(trial);
    trials.push_back(std::move(trial));
  }
  if (trials.empty()) return trials;
  if (const auto stored = storage->add_trials(trials, std::nullopt, request, durability); !stored) {
    optimizer.reset();  // whether they arrived is known when the storage is read again
    return stored.error();
  }
  last_id = trials.back().id;
  ++last_event;
  for (const Trial& trial : trials) {
    open_trials.emplace(trial.id, trial);
    count_evaluation(trial);
  }
  return trials;
}

// What was measured beside the points of the space cannot be suggested.
void Study::Impl::count_resampled(const Trial& trial, bool ended) {
  if (!resampling || !record.space.check(trial.point)) return;
  if (ended) {
    resampling->count_ended(trial);
  } else {
    resampling->count_asked(trial);
  }
}

}  // namespace vbo

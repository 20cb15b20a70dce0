// SPDX-License-Identifier: MIT
// What people change afterwards, as the study takes it up.
#include <algorithm>

#include "core/actual.hpp"
#include "core/delivery.hpp"
#include "study/impl.hpp"
#include "study/log.hpp"
#include "study/start.hpp"

namespace vbo {

StudyLog Study::Impl::log_of(std::vector<Trial> history, std::vector<Revision> revisions) const {
  for (Trial& trial : history) {
    // For the method it is open, whatever others are doing or have stored.
    if (trial.told_in == 0) trial = as_asked(std::move(trial));
    trial = for_optimizer(std::move(trial));
  }
  for (Revision& revision : revisions) revision.before = for_optimizer(std::move(revision.before));
  return {std::move(history), std::move(revisions), record.changed_in()};
}

Result<void> Study::Impl::revise() {
  const std::unique_ptr<Optimizer> until_now = std::move(optimizer);
  Result<std::vector<Trial>> history = storage->load_history();
  if (!history) return history.error();
  Result<std::vector<Revision>> revisions = storage->load_revisions();
  if (!revisions) return revisions.error();
  StudyLog log = log_of(std::move(*history), std::move(*revisions));
  Result<std::unique_ptr<Optimizer>> anew = revised(*this, *until_now, log, last_event);
  if (!anew) return anew.error();
  optimizer = std::move(*anew);
  return {};
}

Result<void> Study::Impl::apply_revisions() {
  const Result<std::vector<Revision>> news = storage->load_revisions(/*unapplied_only=*/true);
  if (!news) return news.error();
  if (news->empty()) return {};
  std::vector<std::int64_t> ids;
  for (const Revision& revision : *news) ids.push_back(revision.id);
  if (const auto applied = storage->apply_revisions(ids, last_event + 1); !applied) {
    optimizer.reset();  // whether it arrived is known when the storage is read again
    return applied.error();
  }
  ++last_event;
  ++other_news;
  forget_counts();
  bool concerns_method = false;
  bool recount = false;  // which points are left
  for (const Revision& revision : *news) {
    const TrialId id = revision.before.id;
    switch (revision.kind) {
      case RevisionKind::replaced: {
        concerns_method = concerns_method || revision.before.told_in != 0;
        const Result<std::optional<Trial>> now = storage->load_trial(id);
        if (!now) return now.error();
        if (finite && *now) finite->insert((*now)->point);
        break;
      }
      case RevisionKind::dropped:
        concerns_method = true;
        open_trials.erase(id);
        recount = recount || finite || record.optimizer.repeats != 1;
        break;
      case RevisionKind::retried:
        if (revision.before.told_in != 0 && retold.insert(id).second) --ended;
        open_trials.emplace(id, as_asked(revision.before));
        break;
    }
  }
  if (recount) {
    const Result<std::vector<Trial>> history = storage->load_history();
    if (!history) return history.error();
    count_points(*history);
  }
  return concerns_method ? revise() : Result<void>();
}

Result<void> Study::Impl::set_start(const StudyOptions& options) {
  if (options.start == record.start) return {};
  // Those that were asked for stay what they were.
  for (std::size_t k = 0; k < static_cast<std::size_t>(started); ++k) {
    if (k < options.start.size() && options.start[k] == record.start[k]) continue;
    return Error{ErrorKind::conflict,
                 "start " + std::to_string(k + 1) +
                     " has been suggested already and cannot change; put it back, and write new "
                     "ones after it",
                 "start." + std::to_string(k + 1)};
  }
  if (const auto set = storage->set_start(options.start); !set) return set.error();
  record.start = options.start;
  return {};
}

Result<void> Study::Impl::enqueue(const std::vector<PartialPoint>& points, std::int64_t request) {
  if (const auto ready = require_ready(); !ready) return ready.error();
  std::vector<PartialPoint> start = record.start;
  start.insert(start.end(), points.begin(), points.end());
  if (const auto set = storage->set_start(start, request); !set) return set.error();
  record.start = std::move(start);
  return {};
}

Result<void> Study::Impl::answer_delivery(AskRequest request) {
  if (!request.delivery->start.empty()) return enqueue(request.delivery->start, request.id);
  std::vector<Evaluated> results = std::move(request.delivery->results);
  if (request.delivery->once) {
    const Result<std::vector<Trial>> stored = storage->load_history();
    if (!stored) return stored.error();
    results = without_known(std::move(results), *stored);
  }
  ++other_news;
  const auto added = add(std::move(results), request.id);
  return added ? Result<void>() : added.error();
}

Result<void> Study::replace(Outcome outcome, const std::string& reason,
                            std::optional<Point> actual) {
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  if (actual) {
    const auto inside = check_actual(impl_->record.space, *actual);
    if (!inside) return inside.error();
  }
  Result<std::optional<Trial>> stored = impl_->storage->load_trial(outcome.id);
  if (!stored) return stored.error();
  if (!*stored) {
    return Error{ErrorKind::not_found, "trial " + std::to_string(outcome.id) + " does not exist"};
  }
  const Trial ended =
      told_again(std::move(**stored), std::move(outcome), impl_->record.space.limits(), actual,
                 impl_->record.objectives.size());
  if (const auto replaced = impl_->storage->replace(ended, reason); !replaced) {
    return replaced.error();
  }
  return impl_->apply_revisions();
}

Result<void> Study::drop(std::vector<TrialId> ids, const std::string& reason) {
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  if (const auto dropped = impl_->storage->drop(ids, reason); !dropped) return dropped.error();
  return impl_->apply_revisions();
}

Result<void> Study::retry(std::vector<TrialId> ids, const std::string& reason) {
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  if (const auto again = impl_->storage->retry(ids, reason); !again) return again.error();
  return impl_->apply_revisions();
}

Result<void> Study::tell(Outcome outcome, Point actual) {
  if (const auto inside = check_actual(impl_->record.space, actual); !inside) {
    return inside.error();
  }
  const Result<const Trial*> open = impl_->find_open(outcome.id);
  if (!open) return open.error();
  const int attempts = outcome.attempts;
  std::vector<Trial> trials = {told_again(**open, std::move(outcome), impl_->record.space.limits(),
                                          actual, impl_->record.objectives.size())};
  trials.front().attempts += attempts;
  return impl_->finish(std::move(trials));
}

}  // namespace vbo

// SPDX-License-Identifier: MIT
#include "vbo/verify.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "study/impl.hpp"
#include "study/log.hpp"

namespace vbo {
namespace {

// What every reading checks: texts that can be understood, and checksums.
template <class T>
std::optional<T> read(Result<T> result, Verification& found) {
  if (result) return std::move(*result);
  found.problems.push_back(result.error().message);
  return std::nullopt;
}

// What was asked and told under earlier settings, until an event changed them.
void replay_until(EventId change, const StudyRecord& record, const std::vector<Trial>& trials,
                  const std::vector<Revision>& revisions, Verification& found) {
  Study::Impl earlier;
  earlier.record = record.at(change - 1);
  earlier.make_optimizer = make_optimizer;
  earlier.last_event = change - 1;
  StudyLog log = earlier.log_of(trials, revisions);
  const Result<Replayed> replayed = replay(earlier, log, std::nullopt, change);
  if (!replayed) {
    found.problems.push_back(replayed.error().message);
  } else if (!replayed->warning.empty()) {
    found.notes.push_back(replayed->warning);
  }
}

// The log once more from the last change of the settings, and from the stored state: both end in
// the same.
void compare_replays(const Study::Impl& study, StudyLog& log,
                     const std::optional<Snapshot>& snapshot, Verification& found) {
  const Result<Replayed> whole = replay(study, log, std::nullopt);
  if (!whole) {
    found.problems.push_back(whole.error().message);
    return;
  }
  found.replayed = true;
  if (!whole->warning.empty()) found.notes.push_back(whole->warning);
  if (!snapshot) return;
  const Result<Replayed> resumed = replay(study, log, snapshot);
  if (!resumed) {
    found.problems.push_back(resumed.error().message);
  } else if (resumed->restored == 0) {
    found.notes.push_back(resumed->warning);
  } else if (whole->warning.empty() &&
             resumed->optimizer->snapshot() != whole->optimizer->snapshot()) {
    found.problems.emplace_back("the stored state of the method is not the one its log leads to");
  }
}

}  // namespace

Result<Verification> verify_study(Storage& storage, bool replaying) {
  Verification found;
  const Result<std::optional<StudyRecord>> record = storage.load_study();
  if (record && !*record) return Error{ErrorKind::not_found, "the storage holds no study yet"};
  if (!record) {
    found.problems.push_back(record.error().message);
    return found;
  }
  if (const Result<void> right = storage.verify(); !right) {
    found.problems.push_back(right.error().message);
  }
  auto trials = read(storage.load_trials(), found);
  auto revisions = read(storage.load_revisions(), found);
  const auto reports = read(storage.load_reports(), found);
  const auto snapshot = read(storage.load_snapshot(), found);
  if (!trials || !revisions || !snapshot) return found;
  found.trials = std::ssize(*trials);
  found.results = std::ranges::count_if(*trials, &Trial::has_ended);
  found.corrections = std::ssize(*revisions);
  if (!replaying || !found.problems.empty()) return found;
  Study::Impl study;
  study.record = **record;
  study.make_optimizer = make_optimizer;
  study.last_event = last_event_of(**record, *trials, *revisions);
  for (const SettingsChange& change : study.record.changes) {
    replay_until(change.event, study.record, *trials, *revisions, found);
  }
  StudyLog log = study.log_of(std::move(*trials), std::move(*revisions));
  compare_replays(study, log, *snapshot, found);
  return found;
}

}  // namespace vbo

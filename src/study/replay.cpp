// SPDX-License-Identifier: MIT
// How a study comes back: the latest snapshot, then every ask, tell and revision after it, in the
// order and the groups in which they happened. The same calls give the same optimizer, bit for bit.
#include <map>

#include "core/checksum.hpp"
#include "study/impl.hpp"
#include "study/log.hpp"

namespace vbo {
namespace {

// Whether a suggestion is the one that was stored; of some, the study itself chose the point.
bool is_same(const Suggestion& suggestion, const Rationale& stored, const Point& point) {
  const Origin origin = stored.origin;
  if (origin == Origin::unseen || origin == Origin::start) return true;
  if (origin == Origin::repeat) return suggestion.rationale.repeat_of == stored.repeat_of;
  return suggestion.point == point;
}

// A snapshot that is not whole never reaches the method: what it would make of it is anybody's
// guess.
Result<void> restore(Optimizer& optimizer, StudyLog& log, EventId last, const Snapshot& snapshot) {
  const std::optional<std::string_view> bytes = unsealed(snapshot.bytes);
  if (!bytes) {
    return Error{ErrorKind::damaged, "it is damaged, or of a version without checksums"};
  }
  if (snapshot.after < 0 || snapshot.after > last) {
    return Error{ErrorKind::damaged, "it is of an event that the log does not have"};
  }
  return optimizer.restore(*bytes, StudyLog::At(log, snapshot.after).trials());
}

// For a method without snapshots: everything up to the event once more, with all results as they
// stand after it.
void play_again(Optimizer& optimizer, StudyLog& log, EventId until) {
  const std::vector<StudyLog::Event> events = log.events_after(0);
  const StudyLog::At now(log, until);
  std::map<EventId, std::vector<Trial>> told;
  for (const Trial& trial : now.trials()) {
    if (trial.told_in != 0) told[trial.told_in].push_back(trial);
  }
  for (const StudyLog::Event& event : events) {
    if (event.id > until) break;
    if (!event.ids.empty()) (void)optimizer.ask(event.ids);
    if (const auto found = told.find(event.id); found != told.end()) optimizer.tell(found->second);
  }
}

}  // namespace

Result<std::unique_ptr<Optimizer>> revised(const Study::Impl& study, const Optimizer& optimizer,
                                           StudyLog& log, EventId event) {
  const auto make = [&] {
    return study.make_optimizer(study.record.space, study.record.method_options());
  };
  const std::string state = optimizer.snapshot();
  Result<std::unique_ptr<Optimizer>> fresh = make();
  if (!fresh) return fresh.error();
  if (!state.empty() && (*fresh)->restore(state, StudyLog::At(log, event).trials())) return fresh;
  fresh = make();
  if (!fresh) return fresh.error();
  play_again(**fresh, log, event);
  return fresh;
}

Result<Replayed> replay(const Study::Impl& study, StudyLog& log,
                        const std::optional<Snapshot>& snapshot, EventId before) {
  const auto make = [&] {
    return study.make_optimizer(study.record.space, study.record.method_options());
  };
  Result<std::unique_ptr<Optimizer>> optimizer = make();
  if (!optimizer) return optimizer.error();
  Replayed result;
  // One of before is that of another method.
  const bool is_ours = snapshot && snapshot->after >= study.record.changed_in();
  if (is_ours && !snapshot->bytes.empty()) {
    const Result<void> restored = restore(**optimizer, log, study.last_event, *snapshot);
    if (restored) {
      result.restored = snapshot->after;
      result.restored_round = (*optimizer)->round();
    } else {
      result.warning = "The stored state of the method could not be used (" +
                       restored.error().message + "); everything was replayed instead.";
      optimizer = make();
      if (!optimizer) return optimizer.error();
    }
  }
  bool same = true;
  for (const StudyLog::Event& event : log.events_after(result.restored)) {
    if (event.id >= before) break;
    if (!event.ids.empty()) {
      const std::vector<Suggestion> suggestions = (*optimizer)->ask(event.ids);
      for (std::size_t k = 0; k < event.asked.size(); ++k) {
        same = same && k < suggestions.size() &&
               is_same(suggestions[k], log.asked(event.asked[k]).rationale,
                       log.suggestion(event.asked[k]));
      }
    }
    if (!event.told.empty()) {
      std::vector<Trial> told;
      for (const std::size_t i : event.told) told.push_back(log.told(i));
      (*optimizer)->tell(told);
    }
    if (event.revises) {
      optimizer = revised(study, **optimizer, log, event.id);
      if (!optimizer) return optimizer.error();
    }
  }
  if (!same) {
    if (!result.warning.empty()) result.warning += " ";
    result.warning +=
        "This build makes other suggestions than the one that began the study. The stored "
        "suggestions and results stay; new ones will differ from an uninterrupted run.";
  }
  result.optimizer = std::move(*optimizer);
  return result;
}

}  // namespace vbo

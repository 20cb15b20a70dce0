// SPDX-License-Identifier: MIT
// How a study comes back: the latest snapshot, then every ask and tell after it, in the order and
// the groups in which they happened. The same calls give the same optimizer, bit for bit.
#include <algorithm>

#include "core/checksum.hpp"
#include "study/impl.hpp"

namespace vbo {
namespace {

// One ask or one tell: indices into the history, in the order of ids.
struct Event {
  EventId id = 0;
  bool is_ask = false;
  std::vector<std::size_t> trials;
};

std::vector<Event> events_after(std::span<const Trial> history, EventId after) {
  struct Entry {
    EventId event;
    bool is_ask;
    std::size_t trial;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const bool was_asked = history[i].asked_in != history[i].told_in;  // not Study::add
    if (was_asked && history[i].asked_in > after) {
      entries.push_back({history[i].asked_in, true, i});
    }
    if (history[i].told_in > after) entries.push_back({history[i].told_in, false, i});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.event < b.event; });
  std::vector<Event> events;
  for (const Entry& entry : entries) {
    if (events.empty() || events.back().id != entry.event) {
      events.push_back({entry.event, entry.is_ask, {}});
    }
    events.back().trials.push_back(entry.trial);
  }
  return events;
}

// The trials as they stood right after event `after`, for as long as this lives: later outcomes are
// set aside, not copied, for there may be hundreds of thousands of trials.
class HistoryAt {
 public:
  HistoryAt(std::span<Trial> history, EventId after) {
    const auto later = std::find_if(history.begin(), history.end(),
                                    [&](const Trial& trial) { return trial.asked_in > after; });
    trials_ = history.first(static_cast<std::size_t>(later - history.begin()));
    for (Trial& trial : trials_) {
      if (trial.told_in <= after) continue;
      later_.push_back({&trial, trial.state, trial.value, std::move(trial.failure), trial.told_in});
      trial.state = TrialState::waiting;
      trial.value.reset();
      trial.failure.reset();
      trial.told_in = 0;
    }
  }
  ~HistoryAt() {
    for (Outcome& outcome : later_) {
      outcome.trial->state = outcome.state;
      outcome.trial->value = outcome.value;
      outcome.trial->failure = std::move(outcome.failure);
      outcome.trial->told_in = outcome.told_in;
    }
  }
  HistoryAt(const HistoryAt&) = delete;
  HistoryAt& operator=(const HistoryAt&) = delete;

  std::span<const Trial> trials() const { return trials_; }

 private:
  struct Outcome {
    Trial* trial;
    TrialState state;
    std::optional<double> value;
    std::optional<Failure> failure;
    EventId told_in;
  };
  std::span<Trial> trials_;
  std::vector<Outcome> later_;
};

// A snapshot that is not whole never reaches the method: what it would make of it is anybody's
// guess.
Result<void> restore(Optimizer& optimizer, std::span<Trial> history, const Snapshot& snapshot) {
  const std::optional<std::string_view> bytes = unsealed(snapshot.bytes);
  if (!bytes) {
    return Error{ErrorKind::damaged, "it is damaged, or of a version without checksums"};
  }
  return optimizer.restore(*bytes, HistoryAt(history, snapshot.after).trials());
}

}  // namespace

Result<Replayed> replay(const Study::Impl& study, std::span<Trial> history,
                        const std::optional<Snapshot>& snapshot) {
  const auto make = [&] {
    return study.make_optimizer(study.record.space, study.record.optimizer);
  };
  Result<std::unique_ptr<Optimizer>> optimizer = make();
  if (!optimizer) return optimizer.error();
  Replayed result;
  if (snapshot && !snapshot->bytes.empty()) {
    const Result<void> restored = restore(**optimizer, history, *snapshot);
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
  for (const Event& event : events_after(history, result.restored)) {
    if (event.is_ask) {
      std::vector<TrialId> ids;
      for (const std::size_t i : event.trials) ids.push_back(history[i].id);
      const std::vector<Suggestion> suggestions = (*optimizer)->ask(ids);
      for (std::size_t k = 0; k < ids.size(); ++k) {
        const Trial& stored = history[event.trials[k]];
        same = same && (stored.rationale.source == kUnseenSource ||
                        (k < suggestions.size() && suggestions[k].point == stored.point));
      }
    } else {
      std::vector<Trial> told;
      for (const std::size_t i : event.trials) told.push_back(history[i]);
      (*optimizer)->tell(told);
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

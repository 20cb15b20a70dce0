// SPDX-License-Identifier: MIT
// What a Study holds. In memory are the open trials and, for finite spaces, which points were seen;
// ended trials live in the storage alone.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "study/finite_space.hpp"
#include "study/resampling.hpp"
#include "vbo/study.hpp"

namespace vbo {

class StudyLog;

struct Study::Impl {
  StudyRecord record;
  std::unique_ptr<Storage> storage;  // null once closed
  decltype(StudyParts::make_optimizer) make_optimizer;
  std::unique_ptr<Optimizer> optimizer;  // null when it has to be rebuilt from the storage

  std::map<TrialId, Trial> open_trials;  // waiting and running, user's sign
  std::optional<FiniteSpace> finite;     // set when the space has finitely many points
  TrialId last_id = 0;
  EventId last_event = 0;
  std::int64_t ended = 0;            // completed + failed
  std::int64_t reported_round = -1;  // of the last report that was stored
  std::int64_t other_news =
      0;  // revisions and deliveries applied: not in what take_results() returns
  std::string warning;
  std::string change;        // of the settings, when this opening made one
  std::set<TrialId> retold;  // open trials the method knows as failed: people had them retried
  std::int64_t started = 0;  // how many of record.start were asked for
  std::int64_t owed = 0;     // repeats still to come of the points suggested so far
  // The first trial of each point and how many there are. Made when results are added, which may
  // repeat a point; null until then, and when trials were changed.
  using Evaluations = std::map<Point, std::pair<TrialId, std::int64_t>>;
  std::optional<Evaluations> evaluations;
  // Of a finite space of which every point has been suggested. Made when that is so; null until
  // then, and when trials were changed.
  std::optional<study::Resampling> resampling;

  std::string joined;  // the storage of a study that another process coordinates; "" = we do

  std::int64_t piece = 0;          // suggestions in one ask for a request; 0: not known yet
  std::int64_t last_answered = 0;  // a request
  std::set<TrialId> handed;        // suggestions with people who asked for them, not with workers

  // When to save the next snapshot.
  EventId saved_event = 0;  // last event inside the stored snapshot
  std::int64_t saved_round = 0;
  std::int64_t tells_since_saved = 0;
  std::chrono::steady_clock::time_point settled;

  Result<void> create(StudyOptions& options);
  Result<void> resume(const StudyOptions* options);  // null: take the study as it is
  // Takes over what may change; a conflict, and nothing changed, when something else differs.
  Result<void> accept(const StudyOptions& options);
  // Records the settings of `asked` in the log; the optimizer has to be made anew.
  Result<void> change_settings(const StudyRecord& asked);
  Result<void> rebuild();  // optimizer and counters, from the storage alone
  Result<void> require_ready();

  // For a joined study; see guest.cpp. True when nobody coordinated it: from now on we do.
  Result<bool> take_over();
  Result<std::vector<Trial>> wait_for(std::int64_t request);
  Result<std::vector<Trial>> ask_coordinator(std::int64_t n);
  Result<void> bring_to_coordinator(std::vector<Outcome> outcomes);
  Result<std::vector<Trial>> add_through_coordinator(std::vector<Evaluated> results);
  Result<void> enqueue_through_coordinator(std::vector<PartialPoint> points);

  // With a request, the suggestions are for the one who made it and not for workers.
  Result<std::vector<Trial>> ask(std::int64_t n, std::int64_t request = 0,
                                 Durability durability = Durability::at_once);
  // The same in a space without further points: of those it has, once more, as far as the budget
  // goes. None where results would repeat, or while that is not known; see ask_again.cpp.
  Result<std::vector<Trial>> ask_again(std::int64_t n, std::int64_t request, Durability durability);
  Result<void> tell(std::vector<Outcome> outcomes);
  Result<std::vector<Trial>> add(std::vector<Evaluated> results, std::int64_t request = 0);
  Result<void> answer_delivery(AskRequest request);
  // Tells the method of results that others have stored, in one event; returns them in the order
  // in which they came.
  Result<std::vector<Trial>> take_results();
  // Answers all requests whole, one ask each; how many there were. See requests.cpp.
  Result<std::int64_t> answer_requests();
  // For about so many seconds, and one piece at least unless `stop`; true: more is waiting.
  Result<bool> answer_for(double seconds, const std::function<bool()>& stop);
  Result<void> answer(const AskRequest& request, std::int64_t most);
  Result<void> cancel(const AskRequest& request);
  // Takes up what people changed: tells the method, and corrects what is kept here.
  Result<void> apply_revisions();
  // Everything in the storage that has been told to the method.
  StudyLog log_of(std::vector<Trial> history, std::vector<Revision> revisions) const;
  // Puts an optimizer in place of ours that knows the trials as they stand now. On an error there
  // is none, and it is rebuilt later.
  Result<void> revise();
  Result<void> set_start(const StudyOptions& options);
  Result<void> enqueue(const std::vector<PartialPoint>& points, std::int64_t request = 0);
  // Ends open trials in one event. REQUIRES: each is open, state and outcome filled in.
  Result<void> finish(std::vector<Trial> trials);
  Result<const Trial*> find_open(TrialId id);
  // Which points of a finite space were seen, and how many repeats are owed.
  void count_points(std::span<const Trial> history);
  Result<void> count_evaluations();  // makes `evaluations`
  void count_evaluation(const Trial& trial);
  void count_resampled(const Trial& trial, bool ended);
  // When trials were changed: both are made again from the storage.
  void forget_counts() {
    evaluations.reset();
    resampling.reset();
  }
  // How many more evaluations the space has room for. REQUIRES: finite.
  std::int64_t planned_repeats() const;
  std::uint64_t room() const;
  // What was suggested first at the point of this repeat; `asked` are trials being asked for.
  Result<std::optional<Point>> repeated_point(TrialId first, std::span<const Trial> asked);
  // A snapshot is due when the method trained, or after a batch of tells.
  void save_snapshot_if_due();
  Result<void> save_snapshot();  // unless nothing happened since the last one

  // Tells the optimizer the trials that are stored as ended by now, in the event last_event.
  void learn(std::vector<Trial> trials);
  // As the optimizer sees a trial: maximizing, and without what depends on the clock.
  Trial for_optimizer(Trial trial) const;
  AskReport report() const;
};

// The same for a stored study: what nobody chose is as it is stored.
StudyRecord as_accepted(const StudyRecord& stored, const StudyOptions& options);

EventId last_event_of(const StudyRecord& record, std::span<const Trial> trials,
                      std::span<const Revision> revisions);

// What a new study with these options stores.
StudyRecord record_of(const StudyOptions& options);

inline Error study_closed() { return {ErrorKind::conflict, "the study is closed"}; }

// Replay of what the storage holds since the settings changed for the last time, up to and without
// the event `before`; see replay.cpp.
struct Replayed {
  std::unique_ptr<Optimizer> optimizer;
  EventId restored = 0;             // last event inside the snapshot that was used; 0 = none
  std::int64_t restored_round = 0;  // the method's round at that moment
  std::string warning;
};
Result<Replayed> replay(const Study::Impl& study, StudyLog& log,
                        const std::optional<Snapshot>& snapshot,
                        EventId before = std::numeric_limits<EventId>::max());
// An optimizer in the state of this one, that knows the trials as they stood after `event`: what
// the method has learned stays, what it learned from is corrected. By its snapshot and restore(),
// so that who resumes later comes to the same state.
Result<std::unique_ptr<Optimizer>> revised(const Study::Impl& study, const Optimizer& optimizer,
                                           StudyLog& log, EventId event);

// What sets settings apart, field by field, e.g. "seed: stored 1, given 2".
struct Difference {
  std::string conflict;    // what makes it another study; empty when there is nothing
  std::string change;      // what a study can go on with: method, options, batch, more room
  bool importable = true;  // the results of one may be results of the other
  bool outside = false;    // though perhaps outside of its bounds, steps or constraints
};
Difference difference(const StudyRecord& stored, const StudyRecord& asked);

}  // namespace vbo

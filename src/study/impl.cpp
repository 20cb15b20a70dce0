// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/actual.hpp"
#include "core/checksum.hpp"
#include "core/users_sign.hpp"
#include "study/impl.hpp"
#include "study/log.hpp"
#include "study/start.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

// A method that trains rarely is snapshot after so many tells; replaying fewer costs nothing.
constexpr std::int64_t kLeastTellsPerSnapshot = 64;
// Making the file complete by itself costs two disk flushes; methods that train at every tell would
// feel it.
constexpr std::chrono::seconds kBetweenSettling{1};
constexpr int kMostTries = 20;  // of a tell whose trials people revise at the same moment

}  // namespace

StudyRecord record_of(const StudyOptions& options) {
  StudyRecord record{options.name,      options.objectives,    options.budget, options.space,
                     options.optimizer, options.evaluate_json, options.start};
  if (record.optimizer.budget == 0) record.optimizer.budget = options.budget;
  return record;
}

Result<void> Study::Impl::create(StudyOptions& options) {
  record = record_of(options);
  Result<std::unique_ptr<Optimizer>> made = make_optimizer(record.space, record.method_options());
  if (!made) return made.error();
  if (const auto created = storage->create_study(record); !created) return created.error();
  optimizer = std::move(*made);
  count_points({});
  return {};
}

StudyRecord as_accepted(const StudyRecord& stored, const StudyOptions& options) {
  StudyRecord asked = record_of(options);
  const Unstated& unstated = options.unstated;
  if (unstated.name) asked.name = stored.name;
  if (unstated.budget) asked.budget = stored.budget;
  if (unstated.method) asked.optimizer.method = stored.optimizer.method;
  if (unstated.seed) asked.optimizer.seed = stored.optimizer.seed;
  if (unstated.batch) asked.optimizer.batch = stored.optimizer.batch;
  if (unstated.evaluate) asked.evaluate_json = stored.evaluate_json;
  const bool same_method = asked.optimizer.method == stored.optimizer.method;
  if (unstated.settings && same_method) asked.optimizer.settings = stored.optimizer.settings;
  if (unstated.repeats) asked.optimizer.repeats = stored.optimizer.repeats;
  return asked;
}

Result<void> Study::Impl::accept(const StudyOptions& options) {
  const StudyRecord asked = as_accepted(record, options);
  const Difference found = difference(record, asked);
  if (!found.conflict.empty()) {
    return Error{ErrorKind::conflict,
                 "the study stored in \"" + options.storage + "\" is another one: " +
                     found.conflict + "; put the stored values back, or choose another storage"};
  }
  if (!joined.empty() && !found.change.empty()) {
    return Error{ErrorKind::busy, "\"" + joined + "\" is being written by another process, and " +
                                      found.change +
                                      ": settings change when that one has ended and the study is "
                                      "run again"};
  }
  if (!joined.empty()) return {};  // what may change is its coordinator's to store
  if (!found.change.empty()) {
    if (const auto changed = change_settings(asked); !changed) return changed.error();
    change = found.change;
  }
  if (asked.budget != record.budget || asked.evaluate_json != record.evaluate_json) {
    const auto updated = storage->update_study(asked.budget, asked.evaluate_json);
    if (!updated) return updated.error();
    record.budget = asked.budget;
    record.evaluate_json = asked.evaluate_json;
  }
  return {};
}

Result<void> Study::Impl::change_settings(const StudyRecord& asked) {
  // Before anything is stored: whether the method takes these options.
  const Result<std::unique_ptr<Optimizer>> possible =
      make_optimizer(asked.space, asked.method_options());
  if (!possible) return possible.error();
  const Result<std::vector<Trial>> history = storage->load_history();
  if (!history) return history.error();
  const Result<std::vector<Revision>> revisions = storage->load_revisions();
  if (!revisions) return revisions.error();
  const Result<double> now = storage->now();
  if (!now) return now.error();
  StudyRecord next = record;
  next.space = asked.space;
  next.optimizer = asked.optimizer;
  next.changes.push_back(
      {last_event_of(record, *history, *revisions) + 1, *now, record.space, record.optimizer});
  optimizer.reset();
  if (const auto changed = storage->change_settings(next); !changed) return changed.error();
  record = std::move(next);
  return {};
}

EventId last_event_of(const StudyRecord& record, std::span<const Trial> trials,
                      std::span<const Revision> revisions) {
  EventId last = record.changed_in();
  for (const Trial& trial : trials) last = std::max({last, trial.asked_in, trial.told_in});
  for (const Revision& revision : revisions) {
    last = std::max({last, revision.event, revision.before.asked_in, revision.before.told_in});
  }
  return last;
}

Result<void> Study::Impl::resume(const StudyOptions* options) {
  if (options) {
    if (const auto accepted = accept(*options); !accepted) return accepted.error();
    record.optimizer.threads = options->optimizer.threads;
  }
  if (const auto rebuilt = rebuild(); !rebuilt) return rebuilt.error();
  return options && !options->unstated.start ? set_start(*options) : Result<void>();
}

Result<void> Study::Impl::rebuild() {
  // What a coordinator before us was evaluating, without blame: it may have been stopped by hand.
  if (const auto returned = storage->return_lost(false); !returned) return returned.error();
  Result<std::vector<Trial>> history = storage->load_history();
  if (!history) return history.error();
  Result<std::vector<Revision>> revisions = storage->load_revisions();
  if (!revisions) return revisions.error();
  const Result<std::optional<Snapshot>> snapshot = storage->load_snapshot();
  if (!snapshot) return snapshot.error();
  const Result<std::vector<RoundReport>> reports = storage->load_reports(1);
  if (!reports) return reports.error();
  open_trials.clear();
  retold.clear();
  forget_counts();
  last_id = ended = started = 0;
  last_event = last_event_of(record, *history, *revisions);
  count_points(*history);
  for (const Trial& trial : *history) {
    last_id = std::max(last_id, trial.id);
    started += trial.rationale.origin == Origin::start;
    if (trial.told_in != 0) {
      ++ended;
    } else if (!trial.has_ended()) {
      open_trials.emplace(trial.id, trial);
    }
  }
  for (const Revision& revision : *revisions) {
    const Trial& before = revision.before;
    last_id = std::max(last_id, before.id);
    if (revision.kind == RevisionKind::dropped) started += before.rationale.origin == Origin::start;
    if (revision.kind != RevisionKind::retried || before.told_in == 0) continue;
    const auto now = std::lower_bound(history->begin(), history->end(), before.id,
                                      [](const Trial& trial, TrialId id) { return trial.id < id; });
    const bool waits = now != history->end() && now->id == before.id && now->told_in == 0;
    if (waits) retold.insert(before.id);
  }
  std::vector<EventId> told;
  for (const Trial& trial : *history) told.push_back(trial.told_in);
  StudyLog log = log_of(std::move(*history), std::move(*revisions));
  Result<Replayed> replayed = replay(*this, log, *snapshot);
  if (!replayed) return replayed.error();
  optimizer = std::move(replayed->optimizer);
  warning = std::move(replayed->warning);
  saved_event = replayed->restored;
  saved_round = replayed->restored_round;
  tells_since_saved =
      std::count_if(told.begin(), told.end(), [&](EventId event) { return event > saved_event; });
  const bool reported = !reports->empty() && reports->back().event > record.changed_in();
  reported_round = reported ? reports->back().report.round : -1;
  return {};
}

void Study::Impl::count_points(std::span<const Trial> history) {
  finite = FiniteSpace::of(record.space);
  owed = 0;
  std::map<TrialId, std::int64_t> evaluations;  // suggested, by the first of each point
  for (const Trial& trial : history) {
    if (finite) {
      finite->insert(trial.point);
      if (trial.suggested) finite->insert(*trial.suggested);
    }
    // The method of now owes nothing at points that another one suggested.
    const Origin origin = trial.rationale.origin;
    if (origin == Origin::added || origin == Origin::resampled) continue;
    if (trial.asked_in <= record.changed_in()) continue;
    ++evaluations[trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id];
  }
  for (const auto& [first, count] : evaluations) {
    owed += std::max<std::int64_t>(0, record.optimizer.repeats - count);
  }
}

Result<void> Study::Impl::count_evaluations() {
  if (evaluations) return {};
  const Result<std::vector<Trial>> history = storage->load_history();
  if (!history) return history.error();
  evaluations.emplace();
  for (const Trial& trial : *history) count_evaluation(trial);
  return {};
}

void Study::Impl::count_evaluation(const Trial& trial) {
  if (!evaluations) return;
  auto& [first, count] = (*evaluations)[trial.point];
  if (count++ == 0) first = trial.rationale.repeat_of != 0 ? trial.rationale.repeat_of : trial.id;
}

// Of each point, for certain.
std::int64_t Study::Impl::planned_repeats() const {
  return std::max<std::int64_t>(1, record.optimizer.repeats);
}

std::uint64_t Study::Impl::room() const {
  const auto repeats = static_cast<std::uint64_t>(planned_repeats());
  return finite->unseen() * repeats + static_cast<std::uint64_t>(owed);
}

Result<std::optional<Point>> Study::Impl::repeated_point(TrialId first,
                                                         std::span<const Trial> asked) {
  for (const Trial& trial : asked) {
    if (trial.id == first) return std::optional(trial.point);
  }
  if (const auto open = open_trials.find(first); open != open_trials.end()) {
    return std::optional(open->second.point);
  }
  const Result<std::optional<Trial>> stored = storage->load_trial(first);
  if (!stored) return stored.error();
  if (!*stored) return std::optional<Point>();  // it was dropped
  return std::optional((*stored)->suggested.value_or((*stored)->point));
}

Result<void> Study::Impl::require_ready() {
  if (!storage) return study_closed();
  if (!joined.empty()) {
    const Result<bool> ours = take_over();
    if (!ours) return ours.error();
    if (!*ours) {
      return Error{ErrorKind::busy,
                   "\"" + joined +
                       "\" is being written by another process, which "
                       "alone can do this; try again when it has closed the study"};
    }
  }
  return optimizer ? Result<void>() : rebuild();
}

Trial Study::Impl::for_optimizer(Trial trial) const {
  const auto flip = [this](std::vector<double>& values) {
    for (std::size_t m = 0; m < values.size(); ++m) {
      if (record.objectives[m].goal == Goal::minimize) values[m] = -values[m];
    }
  };
  flip(trial.values);
  for (Step& step : trial.steps) flip(step.values);
  trial.seconds = 0.0;
  trial.attempts = 0;
  trial.stderr_tail.clear();
  trial.asked_at = trial.started_at = trial.finished_at = 0.0;
  trial.worker.clear();
  return trial;
}

AskReport Study::Impl::report() const {
  if (!optimizer) return {};
  AskReport report = optimizer->report();
  to_users_sign(record.score_goal(), optimizer->ledger(), report);
  return report;
}

Result<std::vector<Trial>> Study::Impl::ask(std::int64_t n, std::int64_t request,
                                            Durability durability) {
  if (n < 1) {
    return Error{ErrorKind::invalid_input,
                 "asked for " + std::to_string(n) + " suggestions, expected at least 1"};
  }
  if (storage && !joined.empty()) return ask_coordinator(n);
  if (const auto ready = require_ready(); !ready) return ready.error();
  if (finite && room() == 0) return ask_again(n, request, durability);
  if (finite) n = static_cast<std::int64_t>(std::min<std::uint64_t>(n, room()));

  std::vector<TrialId> ids(static_cast<std::size_t>(n));
  std::iota(ids.begin(), ids.end(), last_id + 1);
  std::vector<Suggestion> suggestions = optimizer->ask(ids);
  // From here on the optimizer is ahead of the storage: unless the trials are stored, it has to be
  // rebuilt before it is asked again.
  const auto give_up = [&](Error error) {
    optimizer.reset();
    return error;
  };
  if (suggestions.size() != ids.size()) {
    return give_up({ErrorKind::unsupported, "method " + record.optimizer.method + " made " +
                                                std::to_string(suggestions.size()) +
                                                " suggestions, expected " + std::to_string(n)});
  }
  std::vector<Trial> trials(ids.size());
  std::size_t points = 0;  // those that are no repeats
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Trial& trial = trials[i];
    trial.id = ids[i];
    trial.asked_in = last_event + 1;
    trial.point = std::move(suggestions[i].point);
    trial.rationale = std::move(suggestions[i].rationale);
    to_users_sign(record.score_goal(), optimizer->ledger(), trial.rationale);
    if (const auto inside = record.space.check(trial.point); !inside) {
      return give_up({ErrorKind::unsupported, "method " + record.optimizer.method +
                                                  " left the space: " + inside.error().message});
    }
    if (const TrialId first = trial.rationale.repeat_of; first != 0) {
      // The point as it was stored: a start point, or an unseen one, takes the place of another.
      Result<std::optional<Point>> point = repeated_point(first, std::span(trials).first(i));
      if (!point) return give_up(point.error());
      if (*point) trial.point = std::move(**point);
      continue;
    }
    const auto place = static_cast<std::size_t>(started) + points++;
    if (place < record.start.size()) {
      trial.point = completed(record.space, record.start[place], trial.point);
      trial.rationale = {.source = "start", .origin = Origin::start};
      if (finite) finite->insert(trial.point);
      continue;
    }
    if (!finite) continue;
    if (finite->contains(trial.point)) {
      Rng rng(record.optimizer.seed, "unseen", static_cast<std::uint64_t>(trial.id));
      trial.point = finite->next_unseen(rng.below(finite->size()));
      trial.rationale = {.source = "unseen", .origin = Origin::unseen};
    }
    finite->insert(trial.point);
  }
  std::optional<AskReport> news;
  if (optimizer->round() > reported_round) news = report();
  if (news && !news->has_content()) news.reset();
  const auto stored = storage->add_trials(trials, news, request, durability);
  if (!stored) return give_up(stored.error());

  last_id = ids.back();
  ++last_event;
  if (news) reported_round = news->round;
  for (const Trial& trial : trials) {
    open_trials.emplace(trial.id, trial);
    count_evaluation(trial);
  }
  const std::int64_t before = started;
  const auto fresh = static_cast<std::int64_t>(points);
  if (record.optimizer.repeats != kAutoRepeats) {
    owed += fresh * record.optimizer.repeats - std::ssize(ids);
  }
  started = std::min<std::int64_t>(started + fresh, std::ssize(record.start));
  if (started > before) {  // the method has to know that it is another point than its own
    if (const auto known = revise(); !known) return known.error();
  }
  save_snapshot_if_due();
  return trials;
}

Result<const Trial*> Study::Impl::find_open(TrialId id) {
  if (const auto ready = require_ready(); !ready) return ready.error();
  const auto it = open_trials.find(id);
  if (it != open_trials.end()) return &it->second;
  const Result<std::optional<Trial>> stored = storage->load_trial(id);
  if (!stored) return stored.error();
  const std::string who = "trial " + std::to_string(id);
  if (!*stored) {
    return Error{ErrorKind::not_found,
                 who + " does not exist, expected an id from 1 to " + std::to_string(last_id)};
  }
  std::string outcome = (*stored)->failure ? (*stored)->failure->message : "value";
  for (const double value : (*stored)->values) outcome += " " + to_string(Value(value));
  return Error{ErrorKind::conflict, who + " has already ended: " +
                                        std::string(to_string((*stored)->state)) + ", " + outcome};
}

Result<void> Study::Impl::tell(std::vector<Outcome> outcomes) {
  if (storage && !joined.empty()) return bring_to_coordinator(std::move(outcomes));
  std::vector<Trial> trials;
  std::set<TrialId> told;
  for (Outcome& outcome : outcomes) {
    const Result<const Trial*> open = find_open(outcome.id);
    if (!open) return open.error();
    if (!told.insert(outcome.id).second) {
      return Error{ErrorKind::conflict,
                   "trial " + std::to_string(outcome.id) + " is told twice at once"};
    }
    const int attempts = outcome.attempts;
    trials.push_back(
        ended_by(**open, std::move(outcome), record.space.limits(), record.objectives.size()));
    trials.back().attempts += attempts;
  }
  return trials.empty() ? Result<void>() : finish(std::move(trials));
}

Result<std::vector<Trial>> Study::Impl::add(std::vector<Evaluated> results, std::int64_t request) {
  if (storage && !joined.empty()) return add_through_coordinator(std::move(results));
  if (const auto ready = require_ready(); !ready) return ready.error();
  std::vector<Trial> trials;
  if (const auto counted = count_evaluations(); !counted) return counted.error();
  for (const Evaluated& result : results) {
    const auto inside = check_result(record.space, result);
    if (!inside) return inside.error();
  }
  for (Evaluated& result : results) {
    Trial trial{.id = last_id + std::ssize(trials) + 1, .point = std::move(result.point)};
    trial.rationale = {.source = "added", .origin = Origin::added};
    count_evaluation(trial);
    const auto& [first, count] = evaluations->at(trial.point);
    if (count > 1) {
      trial.rationale.repeat_of = first;
      trial.rationale.repeat = count;
    }
    trial.asked_in = trial.told_in = last_event + 1;
    trial.attempts = result.outcome.attempts;
    trials.push_back(ended_by(std::move(trial), std::move(result.outcome), record.space.limits(),
                              record.objectives.size()));
  }
  if (trials.empty() && request == 0) return trials;
  if (const auto stored = storage->add_trials(trials, std::nullopt, request); !stored) {
    evaluations.reset();
    return stored.error();
  }
  if (trials.empty()) return trials;
  last_id = trials.back().id;
  if (finite) {
    for (const Trial& trial : trials) finite->insert(trial.point);
  }
  for (const Trial& trial : trials) count_resampled(trial, /*ended=*/false);
  learn(trials);
  return trials;
}

Result<void> Study::Impl::finish(std::vector<Trial> trials) {
  std::sort(trials.begin(), trials.end(),
            [](const Trial& a, const Trial& b) { return a.id < b.id; });
  for (Trial& trial : trials) trial.told_in = last_event + 1;
  if (const auto stored = storage->finish_trials(trials); !stored) {
    // A connection that broke may have done it before: known when the storage is read again.
    if (stored.error().kind == ErrorKind::io) optimizer.reset();
    return stored.error();
  }
  learn(std::move(trials));
  return {};
}

void Study::Impl::learn(std::vector<Trial> trials) {
  ++last_event;
  ended += std::ssize(trials);
  tells_since_saved += std::ssize(trials);
  bool anew = false;
  std::vector<Trial> fresh;
  for (Trial& trial : trials) {
    open_trials.erase(trial.id);
    handed.erase(trial.id);
    if (trial.suggested) forget_counts();
    count_resampled(trial, /*ended=*/true);
    if (trial.suggested && finite) finite->insert(trial.point);
    const bool again = retold.erase(trial.id) > 0;
    anew = anew || again || trial.suggested;
    if (again) continue;
    // What the method of now has not suggested.
    const bool is_older =
        trial.asked_in <= record.changed_in() || trial.rationale.origin == Origin::resampled;
    Trial known = for_optimizer(std::move(trial));
    fresh.push_back(is_older ? as_added(std::move(known), last_event) : std::move(known));
  }
  if (!fresh.empty()) optimizer->tell(fresh);
  // Everything is stored by now: should it fail, the next call begins with the storage.
  if (anew && !revise()) return;
  save_snapshot_if_due();
}

Result<std::vector<Trial>> Study::Impl::take_results() {
  for (int tries = 1;; ++tries) {
    if (const auto ready = require_ready(); !ready) return ready.error();
    // In this order: a result that follows a revision is never seen without it.
    Result<std::vector<Trial>> taken = storage->load_untold();
    if (!taken) return taken;
    if (const auto news = apply_revisions(); !news) return news.error();
    if (taken->empty()) return taken;
    for (Trial& trial : *taken) trial.told_in = last_event + 1;
    std::vector<Trial> in_order = *taken;
    std::sort(in_order.begin(), in_order.end(),
              [](const Trial& a, const Trial& b) { return a.id < b.id; });
    if (const auto told = storage->tell_trials(in_order); !told) {
      // Somebody has revised one of them meanwhile.
      if (told.error().kind == ErrorKind::conflict && tries < kMostTries) continue;
      optimizer.reset();  // whether it arrived is known when the storage is read again
      return told.error();
    }
    learn(std::move(in_order));
    return taken;
  }
}

void Study::Impl::save_snapshot_if_due() {
  if (optimizer->round() != saved_round ||
      tells_since_saved >= std::max(record.optimizer.batch, kLeastTellsPerSnapshot)) {
    // The ask or tell is stored already, so a failure here loses nothing but time when resuming;
    // the next ask or tell will meet the same trouble and report it.
    (void)save_snapshot();
    if (const auto now = std::chrono::steady_clock::now(); now - settled > kBetweenSettling) {
      (void)storage->settle();
      settled = now;
    }
  }
}

Result<void> Study::Impl::save_snapshot() {
  if (saved_event == last_event) return {};
  const std::string bytes = optimizer->snapshot();
  if (!bytes.empty()) {
    const auto saved = storage->save_snapshot({last_event, sealed(bytes)});
    if (!saved) return saved.error();
    saved_event = last_event;
  }
  saved_round = optimizer->round();
  tells_since_saved = 0;
  return {};
}

}  // namespace vbo

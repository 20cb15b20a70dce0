// SPDX-License-Identifier: MIT
#include "study/log.hpp"

#include <algorithm>
#include <utility>

#include "study/impl.hpp"

namespace vbo {

Trial as_asked(Trial trial) {
  trial.state = TrialState::waiting;
  forget_outcome(trial);
  trial.told_in = 0;
  if (trial.suggested) trial.point = *std::exchange(trial.suggested, std::nullopt);
  return trial;
}

Trial as_added(Trial trial, EventId told_in) {
  Rationale& why = trial.rationale;
  why = {
      .source = "added", .origin = Origin::added, .repeat_of = why.repeat_of, .repeat = why.repeat};
  trial.asked_in = told_in;
  if (trial.told_in != 0) trial.told_in = told_in;
  return trial;
}

namespace {

bool was_resampled(const Trial& trial) { return trial.rationale.origin == Origin::resampled; }

}  // namespace

StudyLog::StudyLog(std::vector<Trial> trials, std::vector<Revision> revisions, EventId began)
    : trials_(std::move(trials)) {
  std::map<TrialId, std::vector<Revision>> by_trial;
  for (Revision& revision : revisions) {
    by_trial[revision.before.id].push_back(std::move(revision));
  }
  // Dropped trials are in the revisions alone.
  const auto size = trials_.size();
  for (const auto& [id, changes] : by_trial) {
    if (changes.back().kind == RevisionKind::dropped) trials_.push_back(changes.back().before);
  }
  std::sort(trials_.begin() + static_cast<std::ptrdiff_t>(size), trials_.end(),
            [](const Trial& a, const Trial& b) { return a.id < b.id; });
  std::inplace_merge(trials_.begin(), trials_.begin() + static_cast<std::ptrdiff_t>(size),
                     trials_.end(), [](const Trial& a, const Trial& b) { return a.id < b.id; });
  for (auto& [id, revised] : by_trial) {
    const auto at = std::lower_bound(trials_.begin(), trials_.end(), id,
                                     [](const Trial& a, TrialId wanted) { return a.id < wanted; });
    if (at == trials_.end() || at->id != id) continue;
    Changes& changes = changes_[static_cast<std::size_t>(at - trials_.begin())];
    const bool dropped = revised.back().kind == RevisionKind::dropped;
    if (dropped) changes.dropped_in = revised.back().event;
    EventId first = 0;  // the event in which the method received it for the first time
    EventId told = 0;   // that of the version before
    for (std::size_t i = 0; i <= revised.size(); ++i) {
      if (i == revised.size() && dropped) break;
      Trial& version = i < revised.size() ? revised[i].before : *at;
      if (version.told_in == 0) continue;
      // A result that took the place of another is applied with the revision.
      const EventId from = version.told_in == told ? revised[i - 1].event : version.told_in;
      if (from == 0) continue;
      told = version.told_in;
      if (first == 0) first = from;
      changes.versions.push_back({from, version});
      changes.versions.back().trial.told_in = first;
    }
    *at = as_asked(std::move(*at));
  }
  const bool any_resampled = std::ranges::any_of(trials_, was_resampled);
  if (began > 0 || any_resampled) begin_in(began);
}

void StudyLog::begin_in(EventId event) {
  std::vector<Trial> trials;
  std::map<std::size_t, Changes> changes;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const auto found = changes_.find(i);
    const bool revised = found != changes_.end();
    Trial& trial = trials_[i];
    if (trial.asked_in <= event || was_resampled(trial)) {
      EventId told_in = trial.told_in;
      if (revised) {
        auto& [versions, dropped_in] = found->second;
        while (versions.size() > 1 && versions[1].from <= event) versions.erase(versions.begin());
        if (dropped_in != 0 && dropped_in <= event) versions.clear();
        told_in = versions.empty() ? 0 : versions.front().from;
      }
      if (told_in == 0) continue;  // still open: not known to the method
      told_in = std::max(told_in, event);
      trial = as_added(std::move(trial), told_in);
      if (revised) {
        found->second.versions.front().from = told_in;
        for (Version& version : found->second.versions) {
          version.trial = as_added(std::move(version.trial), told_in);
        }
      }
    }
    if (revised) changes.emplace(trials.size(), std::move(found->second));
    trials.push_back(std::move(trial));
  }
  trials_ = std::move(trials);
  changes_ = std::move(changes);
}

Point StudyLog::suggestion(std::size_t trial) const {
  const Trial& stored = trials_[trial];
  return stored.suggested ? *stored.suggested : stored.point;
}

Trial StudyLog::told(std::size_t trial) const {
  const auto changes = changes_.find(trial);
  return changes == changes_.end() ? trials_[trial] : changes->second.versions.front().trial;
}

std::vector<StudyLog::Event> StudyLog::events_after(EventId after) const {
  enum class What { ask, tell, revise };
  struct Entry {
    EventId event;
    What what;
    std::size_t trial;
  };
  std::vector<Entry> entries;
  const auto add = [&](EventId event, What what, std::size_t trial) {
    if (event > after && event != 0) entries.push_back({event, what, trial});
  };
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i];
    const auto changes = changes_.find(i);
    const bool revised = changes != changes_.end();
    EventId told_in = trial.told_in;
    if (revised) {
      const std::vector<Version>& versions = changes->second.versions;
      told_in = versions.empty() ? 0 : versions.front().from;
      for (std::size_t v = 1; v < versions.size(); ++v) {
        add(versions[v].from, What::revise, i);
      }
      add(changes->second.dropped_in, What::revise, i);
    }
    const bool was_asked = trial.asked_in != told_in;  // not Study::add
    if (was_asked) add(trial.asked_in, What::ask, i);
    add(told_in, What::tell, i);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.event < b.event; });
  std::vector<Event> events;
  for (const Entry& entry : entries) {
    if (events.empty() || events.back().id != entry.event) events.push_back({.id = entry.event});
    Event& event = events.back();
    if (entry.what == What::ask) {
      event.asked.push_back(entry.trial);
      event.ids.push_back(trials_[entry.trial].id);
      event.revises = event.revises || trials_[entry.trial].rationale.origin == Origin::start;
    } else if (entry.what == What::tell) {
      event.told.push_back(entry.trial);
      const auto changes = changes_.find(entry.trial);
      const Trial& told =
          changes == changes_.end() ? trials_[entry.trial] : changes->second.versions.front().trial;
      event.revises = event.revises || told.suggested.has_value();
    } else {
      event.revises = true;
    }
  }
  return events;
}

// The number of trials asked up to the event, where they are the first ones.
std::optional<std::size_t> StudyLog::first_asked_after(EventId event) const {
  const auto is_later = [event](const Trial& trial) { return trial.asked_in > event; };
  const auto first = std::ranges::find_if(trials_, is_later);
  if (!std::all_of(first, trials_.end(), is_later)) return std::nullopt;
  return static_cast<std::size_t>(first - trials_.begin());
}

void StudyLog::At::set_aside(std::size_t i, Trial& trial) {
  Trial ended;
  move_outcome(trial, ended);
  ended.told_in = trial.told_in;
  if (trial.suggested) {
    ended.point = std::exchange(trial.point, *trial.suggested);
    ended.suggested = std::exchange(trial.suggested, std::nullopt);
  }
  later_.push_back({i, std::move(ended)});
  trial = as_asked(std::move(trial));
}

// Nothing was revised, and trials that are not there yet stand at the end: nothing moves.
StudyLog::At::At(StudyLog& log, EventId event) : log_(log) {
  if (log.changes_.empty()) whole_ = log.first_asked_after(event);
  if (!whole_) gather(event);
  for (std::size_t i = 0; whole_ && i < *whole_; ++i) {
    if (log.trials_[i].told_in > event) set_aside(i, log.trials_[i]);
  }
}

std::span<const Trial> StudyLog::At::trials() const {
  return whole_ ? std::span<const Trial>(log_.trials_).first(*whole_) : trials_;
}

void StudyLog::At::gather(EventId event) {
  StudyLog& log = log_;
  trials_.reserve(log.trials_.size());
  home_.reserve(log.trials_.size());
  for (std::size_t i = 0; i < log.trials_.size(); ++i) {
    Trial& trial = log.trials_[i];
    if (trial.asked_in > event) continue;
    const auto changes = log.changes_.find(i);
    if (changes != log.changes_.end()) {
      const Changes& c = changes->second;
      if (c.dropped_in != 0 && c.dropped_in <= event) continue;
      const Trial* now = nullptr;
      for (const Version& version : c.versions) {
        if (version.from <= event) now = &version.trial;
      }
      trials_.push_back(now ? *now : trial);
      home_.emplace_back();
      continue;
    }
    if (trial.told_in > event) set_aside(i, trial);
    trials_.push_back(std::move(trial));
    home_.emplace_back(i);
  }
}

StudyLog::At::~At() {
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (home_[i]) log_.trials_[*home_[i]] = std::move(trials_[i]);
  }
  for (auto& [place, ended] : later_) {
    Trial& trial = log_.trials_[place];
    move_outcome(ended, trial);
    trial.told_in = ended.told_in;
    if (ended.suggested) {
      trial.point = std::move(ended.point);
      trial.suggested = std::move(ended.suggested);
    }
  }
}

}  // namespace vbo

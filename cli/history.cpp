// SPDX-License-Identifier: MIT
#include "cli/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/trial_json.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

double moment_of(const HistoryEntry& change) {
  return change.revision ? change.revision->made_at : change.settings->made_at;
}

// "completed 1.25", "failed: no license", with the point where it was another one.
std::string state_text(const StudyRecord& record, const Trial& trial, bool with_point) {
  std::string text(to_string(trial.state));
  if (trial.value()) text += " " + values_text(record.objectives, trial.values, number_text);
  if (trial.failure) text += ": " + one_line(trial.failure->message);
  if (with_point) text += " at " + point_text(record.space, trial.point);
  return text;
}

std::string revision_text(const StudyRecord& record, const HistoryEntry& change) {
  const Revision& revision = *change.revision;
  const Trial& before = revision.before;
  const bool moved = change.after && change.after->point != before.point;
  std::string text = fmt::format("trial {} {}", before.id, to_string(revision.kind));
  if (!revision.reason.empty()) text += " (" + one_line(revision.reason) + ")";
  text += ": was " + state_text(record, before, moved || !change.after);
  if (change.after && revision.kind == RevisionKind::replaced) {
    text += ", became " + state_text(record, *change.after, moved);
  }
  return text + (revision.event == 0
                     ? "; not yet told to the method"
                     : fmt::format("; told to the method in event {}", revision.event));
}

Json trial_part(const StudyRecord& record, const Trial& trial) {
  return {{"state", to_string(trial.state)},
          {values_key(record.objectives), values_json(record.objectives, trial.values)},
          {"error", trial.failure ? Json(trial.failure->message) : Json()},
          {"params", json_of(record.space, trial.point)}};
}

}  // namespace

Result<std::vector<HistoryEntry>> changes_of(Storage& storage, const StudyRecord& record,
                                             std::optional<TrialId> id) {
  Result<std::vector<Revision>> revisions = storage.load_revisions();
  if (!revisions) return revisions.error();
  std::vector<HistoryEntry> changes;
  std::map<TrialId, std::size_t> last;  // the latest change of each trial
  for (Revision& revision : *revisions) {
    if (id && revision.before.id != *id) continue;
    const auto [found, fresh] = last.try_emplace(revision.before.id, changes.size());
    if (!fresh) {
      changes[found->second].after = revision.before;
      found->second = changes.size();
    }
    changes.push_back({.revision = std::move(revision), .after = {}});
  }
  for (const auto& [trial, place] : last) {
    Result<std::optional<Trial>> now = storage.load_trial(trial);
    if (!now) return now.error();
    changes[place].after = std::move(*now);
  }
  if (!id) {
    for (const SettingsChange& settings : record.changes) {
      changes.push_back({.revision = {}, .after = {}, .settings = &settings});
    }
    std::ranges::stable_sort(changes, {}, moment_of);
  }
  return changes;
}

std::string history_text(const StudyRecord& record, const std::vector<HistoryEntry>& changes) {
  std::string text;
  for (const HistoryEntry& change : changes) {
    text += time_text(moment_of(change)) + "  ";
    if (change.revision) {
      text += revision_text(record, change) + "\n";
      continue;
    }
    const SettingsChange& until = *change.settings;
    text += fmt::format("settings changed in event {}: until then method {}, batch {}\n",
                        until.event, until.optimizer.method, until.optimizer.batch);
  }
  return text;
}

Json history_json(const StudyRecord& record, const std::vector<HistoryEntry>& changes) {
  Json json = Json::array();
  for (const HistoryEntry& change : changes) {
    if (change.revision) {
      const Revision& revision = *change.revision;
      json.push_back({{"kind", to_string(revision.kind)},
                      {"at", revision.made_at},
                      {"id", revision.before.id},
                      {"reason", revision.reason},
                      {"event", revision.event == 0 ? Json() : Json(revision.event)},
                      {"before", trial_part(record, revision.before)},
                      {"after", change.after ? trial_part(record, *change.after) : Json()}});
    } else {
      const SettingsChange& until = *change.settings;
      json.push_back({{"kind", "settings"},
                      {"at", until.made_at},
                      {"event", until.event},
                      {"before", json_of(until.optimizer)}});
      json.back()["before"]["space"] = json_of(until.space);
    }
  }
  return json;
}

}  // namespace vbo::cli

// SPDX-License-Identifier: MIT
#include "report/history.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace vbo::report {
namespace {

Json trial_part(const StudyRecord& record, const Trial& trial) {
  const Json whole = trial_json(record.space, trial, record.objectives);
  const char* values = record.objectives.size() < 2 ? "value" : "values";
  return {{"state", whole["state"]},
          {values, whole[values]},
          {"error", whole["error"]},
          {"params", whole["params"]}};
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
    std::ranges::stable_sort(changes, {}, &HistoryEntry::made_at);
  }
  return changes;
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

}  // namespace vbo::report

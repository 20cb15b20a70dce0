// SPDX-License-Identifier: MIT
// What people changed: results that were replaced, suggestions that were dropped, failures that
// were evaluated again, and settings of the study; with reasons and moments.
#pragma once

#include <optional>
#include <vector>

#include "core/json.hpp"
#include "vbo/storage.hpp"

namespace vbo::report {

// One change. Of settings, which concern no trial, only `settings` is set.
struct HistoryEntry {
  std::optional<Revision> revision;
  std::optional<Trial> after;  // the trial as the revision left it; nothing where it was dropped
  const SettingsChange* settings = nullptr;  // what held until then

  double made_at() const { return revision ? revision->made_at : settings->made_at; }
};

// In the order in which they were made; with an id those of this trial alone. `record` is read
// from for as long as the changes live.
Result<std::vector<HistoryEntry>> changes_of(Storage& storage, const StudyRecord& record,
                                             std::optional<TrialId> id = std::nullopt);

// [{"kind", "at", "id", "reason", "event", "before", "after"}, ...] with parts {"state", "value" or
// "values", "error", "params"}; "event" is null while the method does not know, "after" where the
// trial is gone. Of settings {"kind", "at", "event", "before"}.
Json history_json(const StudyRecord& record, const std::vector<HistoryEntry>& changes);

}  // namespace vbo::report

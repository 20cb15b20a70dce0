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

// {"parameter x": {"low", "high", ...}, ...}: of a space nothing else changes.
Json by_part(const Space& space) {
  Json parts = Json::object();
  const Json json = json_of(space);
  for (Json parameter : json.is_object() ? json["parameters"] : json) {
    Json& part = parts["parameter " + std::string(parameter["name"])];
    parameter.erase("name");
    part = std::move(parameter);
  }
  return parts;
}

std::string shown(const Json& json) { return json.is_null() ? "nothing" : excerpt(json); }

// ", parameter x low -5.0 (then -50.0), ...": what another space took the place of.
std::string space_text(const Space& until, const Space& then) {
  std::string text;
  const Json before = by_part(until), after = by_part(then);
  for (const auto& [part, fields] : after.items()) {
    const Json old = before.value(part, Json::object());
    for (const auto& [field, value] : fields.items()) {
      const Json held = old.value(field, Json());
      if (held != value) {
        text +=
            fmt::format(", {} {} {} (then {})", one_line(part), field, shown(held), shown(value));
      }
    }
  }
  return text;
}

std::string settings_text(const StudyRecord& record, const SettingsChange& until) {
  const auto next = static_cast<std::size_t>(&until - record.changes.data()) + 1;
  const Space& then = next < record.changes.size() ? record.changes[next].space : record.space;
  return fmt::format("settings changed in event {}: until then method {}, batch {}{}\n",
                     until.event, until.optimizer.method, until.optimizer.batch,
                     space_text(until.space, then));
}

}  // namespace

std::string history_text(const StudyRecord& record, const std::vector<HistoryEntry>& changes) {
  std::string text;
  for (const HistoryEntry& change : changes) {
    text += time_text(change.made_at()) + "  ";
    if (change.revision) {
      text += revision_text(record, change) + "\n";
      continue;
    }
    text += settings_text(record, *change.settings);
  }
  return text;
}

}  // namespace vbo::cli

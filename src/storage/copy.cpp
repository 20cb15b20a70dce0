// SPDX-License-Identifier: MIT
#include "storage/copy.hpp"

#include <map>

#include "storage/errors.hpp"

namespace vbo {
namespace {

// The two things one event may have written.
struct Written {
  std::vector<Trial> asked;  // as they were then: waiting, or ended when nobody asked for them
  std::vector<Trial> told;
};

Trial as_asked(Trial trial) {
  trial.state = TrialState::waiting;
  forget_outcome(trial);
  trial.told_in = 0;
  return trial;
}

std::map<EventId, Written> events_of(std::vector<Trial> trials) {
  std::map<EventId, Written> events;
  for (Trial& trial : trials) {
    if (trial.asked_in == trial.told_in) {
      events[trial.asked_in].asked.push_back(std::move(trial));
      continue;
    }
    events[trial.asked_in].asked.push_back(as_asked(trial));
    if (trial.told_in != 0) events[trial.told_in].told.push_back(std::move(trial));
  }
  return events;
}

Result<void> write_events(const std::map<EventId, Written>& events,
                          const std::map<EventId, AskReport>& reports, Storage& to) {
  for (const auto& [event, written] : events) {
    if (!written.asked.empty()) {
      const auto report = reports.find(event);
      const auto stored = to.add_trials(
          written.asked, report == reports.end() ? std::optional<AskReport>() : report->second);
      if (!stored) return stored.error();
    }
    if (!written.told.empty()) {
      if (const auto stored = to.finish_trials(written.told); !stored) return stored.error();
    }
  }
  return {};
}

}  // namespace

Result<void> copy_study(Storage& from, Storage& to) {
  const auto study = from.load_study();
  if (!study) return study.error();
  if (!*study) return storage_error::no_study();
  auto trials = from.load_trials();
  if (!trials) return trials.error();
  const auto reports = from.load_reports();
  if (!reports) return reports.error();
  const auto snapshot = from.load_snapshot();
  if (!snapshot) return snapshot.error();
  const auto revisions = from.load_revisions();
  if (!revisions) return revisions.error();
  if (!revisions->empty()) {
    return Error{ErrorKind::unsupported,
                 "a study with corrections cannot be copied into another kind of storage"};
  }

  if (const auto created = to.create_study(**study); !created) return created.error();
  std::map<EventId, AskReport> by_event;
  for (const RoundReport& report : *reports) by_event.emplace(report.event, report.report);
  const auto written = write_events(events_of(std::move(*trials)), by_event, to);
  if (!written) return written.error();
  return *snapshot ? to.save_snapshot(**snapshot) : Result<void>();
}

}  // namespace vbo

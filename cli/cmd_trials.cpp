// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"
#include "cli/history.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "cli/trials_csv.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kAtOnce = 5000;  // rows in memory
struct TrialsArguments {
  std::string study;
  std::string state;
  bool history = false;
  bool json = false;
};

int history(const TrialsArguments& options, const OpenedStudy& study) {
  if (!options.state.empty()) {
    return fail(kWrongUsage, "found --history and --state, expected one of them");
  }
  const auto changes = changes_of(*study.storage, study.record);
  if (!changes) return fail(changes.error());
  if (options.json) {
    print_json(history_json(study.record, *changes));
  } else {
    print_out(changes->empty() ? "nothing was changed\n" : history_text(study.record, *changes));
  }
  return kDone;
}

int trials(const TrialsArguments& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  if (options.history) return history(options, *study);
  const std::optional<TrialState> wanted = trial_state_from(options.state);
  ExtraColumns extra;
  if (!options.json) {
    const Result<std::vector<Trial>> history = study->storage->load_history();
    if (!history) return fail(history.error());
    extra = extra_columns(*history);
  }
  print_out(options.json ? "[" : csv_header(record, extra));
  bool first_row = true;
  for (TrialId next = 1;;) {
    const Result<std::vector<Trial>> rows = study->storage->load_trials(next, kAtOnce);
    if (!rows) return fail(rows.error());
    for (const Trial& trial : *rows) {
      if (wanted && trial.state != *wanted) continue;
      if (options.json) {
        print_out((first_row ? "\n" : ",\n") +
                  dump(trial_json(record.space, trial, record.objectives)));
        first_row = false;
      } else {
        print_out(csv_row(record, trial, extra));
      }
    }
    if (rows->size() < static_cast<std::size_t>(kAtOnce)) break;
    next = rows->back().id + 1;
  }
  if (options.json) print_out(first_row ? "]\n" : "\n]\n");
  return kDone;
}

}  // namespace

Action define_trials(CLI::App& app, const Console&) {
  auto options = std::make_shared<TrialsArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.option("--state", options->state, "STATE",
                   "Only these: waiting, running, completed or failed",
                   {"waiting", "running", "completed", "failed"});
  arguments.flag("--history", options->history,
                 "Instead what was replaced, dropped or evaluated again, when and why");
  arguments.flag("--json", options->json, "Print JSON instead of CSV");
  return [options] { return trials(*options); };
}

}  // namespace vbo::cli

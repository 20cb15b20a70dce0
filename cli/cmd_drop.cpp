// SPDX-License-Identifier: MIT
// Taking back suggestions, and evaluating failed ones again.
#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/value_text.hpp"

namespace vbo::cli {
namespace {

struct DropArguments {
  std::string study;
  std::vector<std::string> ids;
  std::string reason;
  bool failed = false;  // all that failed, instead of ids
  double wait = kWaitSeconds;
  bool json = false;
};

using Change = Result<void> (Storage::*)(std::span<const TrialId>, const std::string&);

Result<std::vector<TrialId>> failed_trials(Storage& storage) {
  const Result<std::vector<Trial>> trials = storage.load_history();
  if (!trials) return trials.error();
  std::vector<TrialId> ids;
  for (const Trial& trial : *trials) {
    if (trial.state == TrialState::failed) ids.push_back(trial.id);
  }
  return ids;
}

int change(const DropArguments& options, Change how, const std::string& done) {
  std::vector<TrialId> ids;
  if (options.failed != options.ids.empty()) {
    return fail(kWrongUsage, options.failed ? "found both --failed and ids, expected one of them"
                                            : "ID is missing: say which suggestions");
  }
  for (const std::string& text : options.ids) {
    const Result<Value> id =
        value_from_text(Parameter::integer("ID", 1, std::int64_t{1} << 53U), text);
    if (!id) {
      return fail(kWrongUsage, "ID: found \"" + text + "\", expected the number of a suggestion");
    }
    ids.push_back(std::get<std::int64_t>(*id));
  }
  const Result<OpenedStudy> study = open_queue(options.study, options.wait);
  if (!study) return fail(study.error());
  Storage& storage = *study->storage;
  if (options.failed) {
    Result<std::vector<TrialId>> found = failed_trials(storage);
    if (!found) return fail(found.error());
    ids = std::move(*found);
    if (ids.empty() && !options.json) print_out("no evaluation has failed\n");
  }
  for (const TrialId id : ids) {
    const Result<std::optional<Trial>> stored = storage.load_trial(id);
    if (!stored) return fail(stored.error());
    if (!*stored) return fail(no_such_trial(storage, id, options.study));
  }
  if (!ids.empty()) {
    const Result<void> changed = (storage.*how)(ids, options.reason);
    if (!changed) return fail(changed.error());
  }
  if (options.json) {
    print_json({{done, ids}});
  } else if (options.failed && !ids.empty()) {
    print_out(std::to_string(ids.size()) + (ids.size() == 1 ? " trial is " : " trials are ") +
              done + "\n");
  } else {
    for (const TrialId id : ids) print_out("trial " + std::to_string(id) + " " + done + "\n");
  }
  return kDone;
}

Action define_change(CLI::App& app, Change how, const std::string& done, bool can_take_failed) {
  auto options = std::make_shared<DropArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  if (can_take_failed) {
    arguments.optional_positional("ID", options->ids, "Ids of failed trials");
    arguments.flag("--failed", options->failed, "All that failed, instead of ids");
  } else {
    arguments.positional("ID", options->ids, "Ids of suggestions");
  }
  arguments.option("--reason", options->reason, "TEXT", "Why, for the log");
  arguments.option("--wait", options->wait, "SECONDS",
                   "How long to wait for other processes that write", 0.0, kLongestWait);
  arguments.flag("--json", options->json, "Print JSON");
  return [options, how, done] { return change(*options, how, done); };
}

}  // namespace

Action define_drop(CLI::App& app, const Console&) {
  return define_change(app, &Storage::drop, "dropped", false);
}

Action define_retry(CLI::App& app, const Console&) {
  return define_change(app, &Storage::retry, "waiting", true);
}

}  // namespace vbo::cli
